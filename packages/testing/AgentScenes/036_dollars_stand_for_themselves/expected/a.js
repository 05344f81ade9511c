let price = '$& $1 $$ $`'
