one 
two
one	
two
