module steelyard/wstest

go 1.22
