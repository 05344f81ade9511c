const gruß = "漢字 🐾🐾"
