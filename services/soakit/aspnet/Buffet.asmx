<%@ WebService Language="C#" Class="Steelyard.Soakit.BuffetService" %>
