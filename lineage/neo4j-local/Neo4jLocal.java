import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.neo4j.configuration.connectors.ConnectorPortRegister;
import org.neo4j.configuration.connectors.ConnectorType;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.kernel.internal.GraphDatabaseAPI;

/**
 * A Neo4j for one parent process: `java -cp 'lib/*' Neo4jLocal.java HOME`, settings in HOME/conf/neo4j.conf, the password as
 * the first line of standard input (empty where the settings turn authentication off). It prints `listening PORT` when Bolt
 * answers and ends cleanly when standard input closes, so that it never outlives who started it. At any further line it closes
 * its databases, reads its settings anew, and prints the same again: a Java that has run a Neo4j starts one in a moment.
 */
public class Neo4jLocal {
    public static void main(String[] arguments) {
        try {
            serve(arguments);
            System.exit(0);
        } catch (Throwable fault) {
            // Neo4j's threads would keep the process alive.
            fault.printStackTrace();
            System.exit(1);
        }
    }

    private static void serve(String[] arguments) throws Exception {
        var home = Path.of(arguments[0]);
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var password = input.readLine();
        String again;
        do {
            var service = start(home, password);
            again = input.readLine();
            service.shutdown();
        } while (again != null);
    }

    private static DatabaseManagementService start(Path home, String password) {
        var service = new DatabaseManagementServiceBuilder(home)
            .loadPropertiesFromFile(home.resolve("conf/neo4j.conf"))
            .build();
        var system = (GraphDatabaseAPI) service.database("system");
        if (password != null && !password.isEmpty()) {
            // Not over Bolt: until somebody changes it, the account's first password is a known one. Not `alter user`: it
            // refuses the password that the account has already.
            system.executeTransactionally(
                "create or replace user neo4j set password $password change not required", Map.of("password", password));
        }
        var ports = system.getDependencyResolver().resolveDependency(ConnectorPortRegister.class);
        System.out.println("listening " + ports.getLocalAddress(ConnectorType.BOLT).getPort());
        return service;
    }
}
