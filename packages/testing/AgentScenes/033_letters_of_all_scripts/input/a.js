const gruß = "日本語 🐾"
