one  
two	
three 
four