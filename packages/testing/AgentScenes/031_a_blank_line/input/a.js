one


two
three
