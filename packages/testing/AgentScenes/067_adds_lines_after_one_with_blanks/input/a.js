one
two 
three
