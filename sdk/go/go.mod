module ripper-checkout

go 1.24
