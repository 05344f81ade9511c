one
two 
more
three
