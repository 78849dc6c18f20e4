module steelyard/soakit

go 1.22
