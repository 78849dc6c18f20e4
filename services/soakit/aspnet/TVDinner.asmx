<%@ WebService Language="C#" Class="Steelyard.Soakit.TVDinnerService" %>
