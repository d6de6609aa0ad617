#include "control/server.hpp"

#include "support.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace server_test {

using namespace ptp;
using namespace ptp::control;
using control::test::next_of;
using control::test::RawClient;
using ptp::Value;
using ptp::test::error_of;
using ptp::test::TempFolder;

namespace {

const std::string kPause = R"({"command":"pause"})"
                           "\n";
const std::string kStatus = R"({"command":"status"})"
                            "\n";

std::string good(const std::string& message) {
    return line_of(Reply{true, message, {}});
}

std::string bad(const std::string& message) {
    return line_of(Reply::failure(message));
}

// Another process: connects, stops until it is told to continue, and then is served or not.
bool connect_and_stop(const std::filesystem::path& folder) {
    try {
        RawClient client(folder);
        raise(SIGSTOP);
        client.send("x\n");
        return client.line() == bad("the request is not JSON");
    } catch (...) {
        return false;
    }
}

// Few files can be open as long as it lives.
class FewFiles {
public:
    explicit FewFiles(rlim_t count) {
        getrlimit(RLIMIT_NOFILE, &before_);
        rlimit few = before_;
        few.rlim_cur = count;
        setrlimit(RLIMIT_NOFILE, &few);
    }
    ~FewFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
    FewFiles(const FewFiles&) = delete;
    FewFiles& operator=(const FewFiles&) = delete;

private:
    rlimit before_{};
};

}  // namespace

TEST_CASE("server: a request is handed over and its reply goes back") {
    const TempFolder folder;
    Server server(folder.path());
    CHECK(!server.next());
    RawClient client(folder.path());
    client.send(R"({"command":"learning_rate","arguments":{"rate":0.5}})"
                "\n");
    Pending pending = next_of(server);
    CHECK(pending.request().command == "learning_rate");
    CHECK(pending.request().arguments == Value::table({{"rate", 0.5}}));
    CHECK(!server.next());
    pending.reply({true, "set", Value::table({{"episode", 7}})});
    CHECK(client.line() == R"({"ok":true,"message":"set","result":{"episode":7}})");
}

TEST_CASE("server: several clients, and several requests of one, each get their own replies") {
    const TempFolder folder;
    Server server(folder.path());
    RawClient first(folder.path());
    RawClient second(folder.path());
    first.send(kPause + "\n" + kStatus);
    Pending of_first = next_of(server);
    second.send(kStatus);
    Pending of_second = next_of(server);
    CHECK(of_first.request().command == "pause");
    CHECK(of_second.request().command == "status");
    of_second.reply({true, "second", {}});
    CHECK(second.line() == good("second"));
    of_first.reply({true, "first", {}});
    CHECK(first.line() == good("first"));
    CHECK(first.line() == bad("the request is not JSON"));
    next_of(server).reply({true, "third", {}});
    CHECK(first.line() == good("third"));
}

TEST_CASE("server: a client that is silent, says half a line or nonsense disturbs nobody") {
    const TempFolder folder;
    Server server(folder.path());
    const RawClient silent(folder.path());
    const RawClient half(folder.path());
    half.send(R"({"comm)");
    RawClient wrong(folder.path());
    wrong.send("x\n");
    CHECK(wrong.line() == bad("the request is not JSON"));
    wrong.send(kPause);
    next_of(server).reply({true, "paused", {}});
    CHECK(wrong.line() == good("paused"));
    half.send(R"(and":"status"})"
              "\n");
    CHECK(next_of(server).request().command == "status");
}

TEST_CASE("server: a line of the greatest length is read, a longer one refused and passed over") {
    const TempFolder folder;
    Server server(folder.path());
    RawClient client(folder.path());
    const std::string start = R"({"command":"learning_rate","arguments":{"rate":1,"group":")";
    const std::string end = "\"}}";
    const std::string group(kMaxLineLength - start.size() - end.size(), 'g');
    client.send(start + group + end + "\n");
    Pending longest = next_of(server);
    CHECK(longest.request().arguments.find("group")->as_string() == group);
    longest.reply({true, "long", {}});
    CHECK(client.line() == good("long"));
    client.send(start + group + "g" + end + "\n" + kStatus);
    CHECK(client.line() == bad("the request is longer than 1048576 bytes"));
    next_of(server).reply({true, "after", {}});
    CHECK(client.line() == good("after"));
}

TEST_CASE("server: a line without an end is cut off") {
    const TempFolder folder;
    Server server(folder.path());
    RawClient client(folder.path());
    const std::string piece(1 << 20, 'x');
    for (int i = 0; i < 80; ++i) {
        client.send(piece);
    }
    CHECK(client.line() == bad("the request is longer than 1048576 bytes"));
    CHECK(client.line() == std::nullopt);
}

TEST_CASE("server: a client that has sent its last gets its reply, without an end of line too") {
    const TempFolder folder;
    Server server(folder.path());
    RawClient client(folder.path());
    client.send(R"({"command":"status"})");
    client.end();
    next_of(server).reply({true, "fine", {}});
    CHECK(client.line() == good("fine"));
    CHECK(client.line() == std::nullopt);
}

TEST_CASE("server: a client that disconnects withdraws requests that were not taken") {
    const TempFolder folder;
    Server server(folder.path());
    auto taken = std::make_unique<RawClient>(folder.path());
    taken->send(kPause);
    Pending pending = next_of(server);
    auto withdrawn = std::make_unique<RawClient>(folder.path());
    withdrawn->send(kPause);
    server.wait(std::chrono::seconds(10));
    taken.reset();
    withdrawn.reset();
    pending.reply({true, "to nobody", {}});
    RawClient client(folder.path());
    client.send(kStatus);
    std::optional<Pending> last = next_of(server);
    while (last->request().command == "pause") {  // taken before the server saw the client go
        last->reply({});
        last.emplace(next_of(server));
    }
    CHECK(last->request().command == "status");
}

TEST_CASE("server: at its end it says so to who waits, and leaves nothing") {
    const TempFolder folder;
    const std::size_t descriptors = control::test::descriptor_count();
    const std::size_t threads = control::test::thread_count();
    for (int i = 0; i < 20; ++i) {
        auto server = std::make_unique<Server>(folder.path());
        RawClient waiting(folder.path());
        RawClient unseen(folder.path());
        const RawClient silent(folder.path());
        waiting.send(kPause);
        std::optional<Pending> pending = next_of(*server);
        unseen.send(kStatus);
        server->wait(std::chrono::seconds(10));
        server.reset();
        CHECK(waiting.line() == bad("the run has ended"));
        CHECK(unseen.line() == bad("the run has ended"));
        CHECK(waiting.line() == std::nullopt);
        pending->reply({true, "too late", {}});
    }
    CHECK(control::test::descriptor_count() == descriptors);
    CHECK(control::test::thread_count() == threads);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("server: a request that is dropped without a reply gets one") {
    const TempFolder folder;
    Server server(folder.path());
    RawClient client(folder.path());
    client.send(kPause);
    { const Pending dropped = next_of(server); }
    CHECK(client.line() == bad("the run has not answered"));
}

TEST_CASE("server: the sixty-fifth client is sent away") {
    const TempFolder folder;
    Server server(folder.path());
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 64; ++i) {
        clients.push_back(std::make_unique<RawClient>(folder.path()));
        clients.back()->send("x\n");
        CHECK(clients.back()->line() == bad("the request is not JSON"));
    }
    RawClient more(folder.path());
    CHECK(more.line() == bad("too many clients control this run already"));
    CHECK(more.line() == std::nullopt);
}

TEST_CASE("server: clients wait while no descriptor is free") {
    const TempFolder folder;
    Server server(folder.path());
    RawClient client(folder.path());
    client.send("x\n");
    REQUIRE(client.line() == bad("the request is not JSON"));
    const FewFiles limit(100);
    std::vector<Descriptor> all;
    while (all.empty() || all.back().is_open()) {
        all.emplace_back(dup(0));
    }
    const pid_t late = fork();
    if (late == 0) {
        all.clear();
        const bool is_served = connect_and_stop(folder.path());
        _exit(is_served ? 0 : 1);
    }
    int status = 0;
    waitpid(late, &status, WUNTRACED);
    REQUIRE(WIFSTOPPED(status));
    client.send("x\n");
    CHECK(client.line() == bad("the request is not JSON"));
    all.clear();
    kill(late, SIGCONT);
    waitpid(late, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("server: a socket that cannot be made is an error with its reason") {
    const TempFolder folder;
    folder.write("control.sock", "");
    CHECK(error_of([&] { Server{folder.path()}; }) ==
          "cannot make " + (folder.path() / "control.sock").string() +
              ": a file that is not a socket is there already");
    const TempFolder other;
    const FewFiles limit(3);
    const std::string error = error_of([&] { Server{other.path()}; });
    CHECK(error ==
          "cannot make " + (other.path() / "control.sock").string() + ": Too many open files");
}

TEST_CASE("server: a waiting trainer is woken by a signal") {
    const TempFolder folder;
    const Server server(folder.path());
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = [](int) {};
    sigaction(SIGALRM, &action, &before);
    const itimerval soon{.it_interval = {0, 1000},
                         .it_value = {0, 1000}};  // one may come too early
    setitimer(ITIMER_REAL, &soon, nullptr);
    server.wait(std::chrono::hours(1));
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before, nullptr);
}

}  // namespace server_test
