one  
2
three 
four