// Java clients for survey.py: `Clients NAME` pays one order as the library is set up, through IDEM_PROXY. A request that
// names no order goes before it on the same connection, since what is retried silently is retried on used connections.
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

public class Clients {
    static final String BASE = System.getenv("IDEM_PROXY");
    static final String BODY = "{\"intent\":\"" + System.getenv("IDEM_RUN") + "\",\"amount\":5}";

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "http_client" -> httpClient();
            case "http_url_connection" -> httpUrlConnection();
            case "okhttp" -> okhttp();
            case "apache_default" -> apache(new org.apache.http.impl.client.DefaultHttpRequestRetryHandler());
            case "apache_sent" -> apache(new org.apache.http.impl.client.DefaultHttpRequestRetryHandler(2, true));
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    static void httpClient() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest.Builder at = HttpRequest.newBuilder().timeout(Duration.ofSeconds(1));
        client.send(at.copy().uri(URI.create(BASE + "/warm")).build(), BodyHandlers.ofString());
        HttpRequest post = at.uri(URI.create(BASE + "/charges")).header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(BODY)).build();
        check(client.send(post, BodyHandlers.ofString()).statusCode());
    }

    static void httpUrlConnection() throws Exception {
        new URL(BASE + "/warm").openStream().readAllBytes();
        HttpURLConnection post = (HttpURLConnection) new URL(BASE + "/charges").openConnection();
        post.setReadTimeout(1000);
        post.setDoOutput(true);
        post.setRequestProperty("Content-Type", "application/json");
        post.getOutputStream().write(BODY.getBytes(StandardCharsets.UTF_8));
        int code = post.getResponseCode();
        check(code);
        post.getInputStream().readAllBytes();
    }

    static void okhttp() throws Exception {
        okhttp3.OkHttpClient client = new okhttp3.OkHttpClient.Builder().readTimeout(1, TimeUnit.SECONDS).build();
        client.newCall(new okhttp3.Request.Builder().url(BASE + "/warm").build()).execute().close();
        okhttp3.RequestBody body = okhttp3.RequestBody.create(okhttp3.MediaType.get("application/json"), BODY);
        okhttp3.Request post = new okhttp3.Request.Builder().url(BASE + "/charges").post(body).build();
        try (okhttp3.Response reply = client.newCall(post).execute()) {
            check(reply.code());
            reply.body().string();
        } finally {
            client.dispatcher().executorService().shutdown();
            client.connectionPool().evictAll();
        }
    }

    static void apache(org.apache.http.client.HttpRequestRetryHandler retry) throws Exception {
        org.apache.http.client.config.RequestConfig config =
            org.apache.http.client.config.RequestConfig.custom().setSocketTimeout(1000).build();
        try (org.apache.http.impl.client.CloseableHttpClient client = org.apache.http.impl.client.HttpClients.custom()
            .setRetryHandler(retry).setDefaultRequestConfig(config).build()) {
            org.apache.http.client.methods.HttpPost post = new org.apache.http.client.methods.HttpPost(BASE + "/charges");
            post.setEntity(new org.apache.http.entity.StringEntity(BODY,
                org.apache.http.entity.ContentType.APPLICATION_JSON));
            org.apache.http.HttpResponse reply = client.execute(post);
            check(reply.getStatusLine().getStatusCode());
            reply.getEntity().getContent().readAllBytes();
        }
    }

    static void check(int status) {
        if (status >= 300) {
            throw new IllegalStateException("status " + status);
        }
    }
}
