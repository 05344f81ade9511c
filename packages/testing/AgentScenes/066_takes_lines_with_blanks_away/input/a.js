one
two 
three
