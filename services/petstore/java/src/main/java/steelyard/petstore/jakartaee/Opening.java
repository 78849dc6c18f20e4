package steelyard.petstore.jakartaee;

import jakarta.ejb.EJB;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import steelyard.petstore.web.StoreServlet;

/** Gives the servlets the store. */
@WebListener
public class Opening implements ServletContextListener {

  @EJB private Application application;

  @Override
  public void contextInitialized(ServletContextEvent event) {
    event.getServletContext().setAttribute(StoreServlet.STORE, application.store());
  }
}
