# Ruby clients for survey.py: `clients.rb NAME` pays one order as the library is set up, through IDEM_PROXY.
require "json"
require "net/http"

BASE = ENV.fetch("IDEM_PROXY")
BODY = JSON.dump(intent: ENV.fetch("IDEM_RUN"), amount: 5)
HEADERS = { "Content-Type" => "application/json" }.freeze

def net_http
  uri = URI(BASE)
  Net::HTTP.start(uri.host, uri.port, read_timeout: 1) { |http| http.post("/charges", BODY, HEADERS).value }
end

def faraday_retry_post
  require "faraday"
  retry_options = { max: 2, interval: 0.1, methods: [:post], retry_statuses: [429, 502, 503, 504],
                    exceptions: [Faraday::TimeoutError, Faraday::ConnectionFailed, Faraday::RetriableResponse] }
  connection = Faraday.new(url: BASE, request: { timeout: 1 }) do |f|
    f.request :retry, retry_options
    f.response :raise_error
  end
  connection.post("/charges", BODY, HEADERS)
end

def excon_idempotent
  require "excon"
  Excon.post("#{BASE}/charges", body: BODY, headers: HEADERS, read_timeout: 1, idempotent: true, retry_limit: 3,
                                retry_interval: 0.1, expects: [200])
end

send(ARGV.fetch(0))
