module steelyard/soap

go 1.22
