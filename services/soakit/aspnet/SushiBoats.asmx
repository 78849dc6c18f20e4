<%@ WebService Language="C#" Class="Steelyard.Soakit.SushiBoatsService" %>
