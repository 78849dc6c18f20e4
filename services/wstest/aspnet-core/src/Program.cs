using Steelyard.Common;
using Steelyard.WSTest;

WSTestService.Build(ServiceHost.Builder(ServiceHost.PortOf(args))).Run();
