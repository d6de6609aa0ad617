#include "control/client.hpp"

#include "control/server.hpp"
#include "run/process.hpp"
#include "support.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>

namespace client_test {

using namespace ptp;
using namespace ptp::control;
using ptp::Value;
using ptp::test::error_of;
using ptp::test::TempFolder;

namespace {

constexpr std::chrono::seconds kLong(60);

std::string error_in(const TempFolder& folder) {
    return error_of([&] { Client(folder.path(), kLong); });
}

}  // namespace

TEST_CASE("client: asks, and gets the reply") {
    const TempFolder folder;
    control::test::write_run(folder, "running");
    Server server(folder.path());
    const control::test::Trainer trainer(server, [](const Request& request) {
        return Reply{true, "heard " + request.command, request.arguments};
    });
    Client client(folder.path(), kLong);
    for (const double rate : {0.1, 0.25}) {
        const Reply reply = client.ask({"learning_rate", Value::table({{"rate", rate}})});
        CHECK(reply.is_ok);
        CHECK(reply.message == "heard learning_rate");
        CHECK(reply.result == Value::table({{"rate", rate}}));
    }
    const Reply refused = client.ask({"puase", {}});
    CHECK(!refused.is_ok);
    CHECK(refused.message == "unknown command 'puase'; did you mean 'pause'?");
}

TEST_CASE("client: a folder that is not a run") {
    const TempFolder folder;
    CHECK(error_in(folder) == folder.path().string() + ": is not the folder of a run");
    CHECK(error_of([] { Client("/nowhere", kLong); }) == "/nowhere: is not the folder of a run");
}

TEST_CASE("client: a run that is over says how it ended and what continues with it") {
    const TempFolder folder;
    const std::string path = folder.path().string();
    const std::string go_on = "; `ptprun resume " + path + "` continues it";
    control::test::write_run(folder, "done", "converged");
    CHECK(error_in(folder) == "the run in " + path + " is done");
    control::test::write_run(folder, "stopped", "SIGTERM");
    CHECK(error_in(folder) == "the run in " + path + " has stopped (SIGTERM)" + go_on);
    control::test::write_run(folder, "failed");
    CHECK(error_in(folder) == "the run in " + path + " has failed" + go_on);
    folder.write("status.json", R"({"state": "running", "pid": 1, "host": ")" +
                                    ptp::run::this_machine().host + R"(", "boot": "another"})");
    CHECK(error_in(folder) == "the process of the run in " + path + " is gone" + go_on);
    folder.write("status.json", R"({"state": "running", "pid": 1, "host": "elsewhere"})");
    CHECK(error_in(folder) ==
          "the run in " + path +
              " is on the machine 'elsewhere', and can be controlled only there");
}

TEST_CASE("client: a run without a socket") {
    const TempFolder folder;
    control::test::write_run(folder, "running");
    const std::string error = error_of([&] { Client(folder.path(), std::chrono::seconds(0)); });
    CHECK(error == "cannot connect to " + folder.path().string() +
                       "/control.sock: the run is starting or ending, or its run.log "
                       "states why it cannot be controlled");
}

TEST_CASE("client: a training that is starting is waited for") {
    const TempFolder folder;
    control::test::write_run(folder, "running");
    std::thread asks([&] {
        Client client(folder.path(), kLong);
        CHECK(client.ask({"pause", {}}).message == "heard pause");
    });
    Server server(folder.path());
    const control::test::Trainer trainer(server, [](const Request& request) {
        return Reply{true, "heard " + request.command, {}};
    });
    asks.join();
}

TEST_CASE("client: nobody answers in time") {
    const TempFolder folder;
    control::test::write_run(folder, "running");
    const Server server(folder.path());
    Client client(folder.path(), std::chrono::seconds(0));
    CHECK(error_of([&] {
              client.ask({"pause", {}});
          }) == "the run in " + folder.path().string() +
                    " has not replied within 0 s: it replies between two episodes. The request is "
                    "withdrawn unless it has begun");
}

TEST_CASE("client: a run that ends meanwhile") {
    const TempFolder folder;
    control::test::write_run(folder, "running");
    std::optional<Server> server(std::in_place, folder.path());
    Client client(folder.path(), kLong);
    std::thread trainer([&] {
        const Pending pending = control::test::next_of(*server);
        server.reset();
    });
    CHECK(client.ask({"pause", {}}).message == "the run has ended");
    trainer.join();
    CHECK(error_of([&] {
              client.ask({"pause", {}});
          }) == "the run in " + folder.path().string() + " has ended without a reply");
}

}  // namespace client_test
