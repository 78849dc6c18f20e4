<%@ WebService Language="C#" Class="Steelyard.WSTest.WSTestService" %>
