package steelyard.flight.ws;

import jakarta.jws.HandlerChain;
import jakarta.jws.WebService;
import jakarta.xml.soap.SOAPConstants;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPFactory;
import jakarta.xml.soap.SOAPFault;
import jakarta.xml.ws.WebServiceException;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.util.List;
import java.util.function.Supplier;
import javax.xml.datatype.XMLGregorianCalendar;
import javax.xml.namespace.QName;
import steelyard.flight.Application;
import steelyard.flight.contract.FaultReason;
import steelyard.flight.contract.FlightFault;
import steelyard.flight.contract.FlightFaultDetail;
import steelyard.flight.contract.FlightList;
import steelyard.flight.contract.FlightPortType;
import steelyard.flight.contract.Passenger;
import steelyard.flight.contract.Reservation;
import steelyard.flight.domain.FlightException;
import steelyard.flight.service.CreateLowPriceReservation;
import steelyard.flight.service.CreateReservation;
import steelyard.flight.service.SearchFlights;
import steelyard.flight.service.ServiceObject;

/**
 * The service's four operations: messages become views, and views the service objects' arguments.
 */
@WebService(
    serviceName = "Flight",
    portName = "FlightPort",
    targetNamespace = "urn:steelyard:flight",
    endpointInterface = "steelyard.flight.contract.FlightPortType")
@HandlerChain(file = "/handlers.xml")
public class FlightEndpoint implements FlightPortType {

  private static final System.Logger LOG = System.getLogger(FlightEndpoint.class.getName());

  @Override
  public FlightList searchFlights(
      String reference, String origin, String destination, XMLGregorianCalendar date)
      throws FlightFault {
    return answered(
        "searchFlights",
        () -> {
          var asked =
              new SearchFlights(
                  Messages.text("origin", origin),
                  Messages.text("destination", destination),
                  Messages.day("date", date));
          return Messages.list(Messages.text("reference", reference), run(asked));
        });
  }

  @Override
  public Reservation createLowPriceReservation(
      String reference,
      String origin,
      String destination,
      XMLGregorianCalendar date,
      Passenger passenger)
      throws FlightFault {
    return answered(
        "createLowPriceReservation",
        () ->
            Messages.reservation(
                run(
                    new CreateLowPriceReservation(
                        Messages.text("reference", reference),
                        Messages.text("origin", origin),
                        Messages.text("destination", destination),
                        Messages.day("date", date),
                        Messages.passenger(passenger)))));
  }

  @Override
  public Reservation createSingleReservation(
      String reference, String flight, XMLGregorianCalendar date, Passenger passenger)
      throws FlightFault {
    return answered(
        "createSingleReservation",
        () ->
            Messages.reservation(
                run(
                    new CreateReservation(
                        Messages.text("reference", reference),
                        Messages.text("flight", flight),
                        Messages.day("date", date),
                        List.of(Messages.passenger(passenger))))));
  }

  @Override
  public Reservation createMultipleReservations(
      String reference, String flight, XMLGregorianCalendar date, List<Passenger> passenger)
      throws FlightFault {
    return answered(
        "createMultipleReservations",
        () ->
            Messages.reservation(
                run(
                    new CreateReservation(
                        Messages.text("reference", reference),
                        Messages.text("flight", flight),
                        Messages.day("date", date),
                        Messages.group(passenger)))));
  }

  private static <R> R run(ServiceObject<R> object) {
    return Application.shared().services().run(object);
  }

  private static <R> R answered(String operation, Supplier<R> answer) throws FlightFault {
    try {
      return Application.shared().extensions().aroundWebService(operation, answer);
    } catch (FlightException e) {
      throw fault(e);
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, operation + " failed: " + sentence(e));
      throw systemError(sentence(e));
    }
  }

  private static FlightFault fault(FlightException cause) {
    var detail = new FlightFaultDetail();
    detail.setReason(FaultReason.fromValue(cause.reason().word()));
    detail.setValue(cause.value());
    detail.setText(cause.getMessage());
    return new FlightFault(cause.getMessage(), detail);
  }

  /**
   * What went wrong, in a line: the type and the first line of each cause that says something new.
   */
  private static String sentence(Throwable failure) {
    var said = new StringBuilder(failure.getClass().getSimpleName());
    for (Throwable each = failure; each != null; each = each.getCause()) {
      String first = String.valueOf(each.getMessage()).lines().findFirst().orElse("");
      if (said.indexOf(first) < 0) {
        said.append(": ").append(first);
      }
    }
    return said.toString();
  }

  private static RuntimeException systemError(String text) {
    try {
      SOAPFault fault =
          SOAPFactory.newInstance(SOAPConstants.SOAP_1_1_PROTOCOL)
              .createFault(text, new QName(SOAPConstants.URI_NS_SOAP_ENVELOPE, "Server"));
      return new SOAPFaultException(fault);
    } catch (SOAPException e) {
      return new WebServiceException(text, e);
    }
  }
}
