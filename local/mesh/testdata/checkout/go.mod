module example.org/checkout

go 1.25
