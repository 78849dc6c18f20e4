<%@ WebService Language="C#" Class="Steelyard.SoaServers.OrchestrationService" %>
