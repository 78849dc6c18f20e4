module own

go 1.22
