<%@ WebService Language="C#" Class="Steelyard.Soakit.TextService" %>
