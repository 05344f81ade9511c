const a = 'C:\\n'
