const a = '\\\\n'
