module steelyard/soakit

go 1.22

require steelyard/soap v0.0.0

replace steelyard/soap => ../../common/go
