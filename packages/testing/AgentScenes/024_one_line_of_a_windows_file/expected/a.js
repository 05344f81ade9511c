one
2
and more
