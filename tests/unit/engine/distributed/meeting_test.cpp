// What the processes of a training report where one of them does not come, or is lost at the start.

#include "engine/distributed/meeting.hpp"

#include "base/error.hpp"
#include "distributed/held_port.hpp"
#include "engine/distributed/group.hpp"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace meeting_test {

using ptp::distributed::HeldPort;
using ptp::distributed::Place;
using ptp::engine::Group;
using std::chrono::seconds;

namespace {

Place place_of(std::int64_t rank, std::int64_t size, const HeldPort& port) {
    Place place;
    place.rank = rank;
    place.size = size;
    place.local_size = size;
    place.host = "here";
    place.address = "127.0.0.1";
    place.port = port.number();
    place.secret = "of these threads";
    return place;
}

// What a process ends with that cannot join within the limit; "joined" where it can. A process that
// comes before rank 0 tries it again after a second.
std::string error_of_joining(const Place& place, seconds limit = seconds(1)) {
    try {
        Group::join(place, seconds(1), limit);
        return "joined";
    } catch (const ptp::RunError& error) {
        return error.code() == ptp::kPeerLost ? error.what() : "another code";
    }
}

// What each of the first ranks returns, as threads.
std::vector<std::string> in_ranks(std::int64_t count, auto work) {
    std::vector<std::string> texts(static_cast<std::size_t>(count));
    std::vector<std::thread> threads;
    for (std::int64_t rank = 0; rank < count; ++rank) {
        threads.emplace_back(
            [&texts, &work, rank] { texts[static_cast<std::size_t>(rank)] = work(rank); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return texts;
}

std::string where(const HeldPort& port, const std::string& limit = "1") {
    return " at 127.0.0.1:" + std::to_string(port.number()) + " within " + limit + " s";
}

constexpr const char* kFixOfConnecting =
    "\n    fix: look at what the other ranks report; each must be started, with the same "
    "MASTER_ADDR and MASTER_PORT, and reach that address; where they start at very different "
    "times, set distributed.timeout to more than 60 s";

}  // namespace

TEST_CASE("meeting: the processes that have not come are named by all that have") {
    const HeldPort port;
    const auto errors = in_ranks(2, [&](std::int64_t rank) {
        return error_of_joining(place_of(rank, 4, port), seconds(3));
    });
    const std::string rest =
        " of 4 on here: rank 2 and rank 3 have not connected" + where(port, "3") + kFixOfConnecting;
    CHECK(errors[0] == "rank 0" + rest);
    CHECK(errors[1] == "rank 1" + rest);
}

TEST_CASE("meeting: of many that have not come the first are named, and how many more there are") {
    const HeldPort port;
    CHECK(error_of_joining(place_of(0, 12, port)) ==
          "rank 0 of 12 on here: rank 1, rank 2, rank 3, rank 4, rank 5, rank 6, rank 7, rank 8 "
          "and 3 more have not connected" +
              where(port) + kFixOfConnecting);
}

TEST_CASE("meeting: a first process that cannot be reached is reported, with what to do") {
    const HeldPort port;
    const std::string text = error_of_joining(place_of(1, 2, port));
    CHECK(text.starts_with("rank 1 of 2 on here: cannot connect with rank 0 ("));
    CHECK(text.ends_with(")" + where(port) + kFixOfConnecting));
}

TEST_CASE("meeting: a port of another program, which resets connections, ends no process") {
    const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    REQUIRE(bind(listening, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    REQUIRE(listen(listening, 16) == 0);
    std::thread resets([listening] {
        for (int accepted = 0; (accepted = accept(listening, nullptr, nullptr)) >= 0;) {
            const linger at_once{1, 0};
            setsockopt(accepted, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
            close(accepted);
        }
    });
    const HeldPort unused;
    Place place = place_of(1, 2, unused);
    place.port = ntohs(address.sin_port);
    const std::string text = error_of_joining(place);
    shutdown(listening, SHUT_RDWR);  // accept() returns
    resets.join();
    close(listening);
    CHECK(text.starts_with("rank 1 of 2 on here: "));
    CHECK(text.ends_with(kFixOfConnecting));
}

TEST_CASE("meeting: a port that another program uses is reported as such by the first process") {
    const int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t size = sizeof(address);
    REQUIRE(bind(taken, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    REQUIRE(listen(taken, 1) == 0);
    const HeldPort unused;
    Place place = place_of(0, 2, unused);
    place.port = ntohs(address.sin_port);
    const std::string text = error_of_joining(place);
    close(taken);
    CHECK(text.starts_with("rank 0 on here cannot listen at 127.0.0.1:"));
    CHECK(
        text.ends_with("\n    fix: choose a MASTER_PORT that no other program uses, and a "
                       "MASTER_ADDR of this machine"));
}

TEST_CASE("meeting: a first process that listens where it cannot connect is not told of its port") {
    const HeldPort port;
    Place place = place_of(0, 2, port);
    place.address = "224.0.0.1";  // of a group of hosts: a socket listens there, and none connects
    const std::string number = std::to_string(port.number());
    CHECK(error_of_joining(place) ==
          "rank 0 on here listens, but cannot connect with itself at 224.0.0.1:" + number +
              " (Network is unreachable)\n    fix: choose a MASTER_ADDR that rank 0 reaches, too");
}

TEST_CASE("meeting: a process that is lost before they watch over each other is named") {
    const HeldPort port;
    std::promise<void> ended;
    const std::shared_future<void> are_over = ended.get_future().share();
    std::thread third([&, are_over] {  // which hangs, as if halted
        const auto group = Group::join(place_of(2, 3, port), seconds(1), seconds(20));
        are_over.wait();
    });
    const auto errors = in_ranks(2, [&](std::int64_t rank) -> std::string {
        const auto group = Group::join(place_of(rank, 3, port), seconds(1), seconds(20));
        try {
            group->barrier("the start");
            return "all have come";
        } catch (const ptp::RunError& error) {
            return error.what();
        }
    });
    ended.set_value();
    third.join();
    const std::string rest =
        " of 3 on here: the start cannot be done with the other processes: rank 2 on here does not "
        "answer\n    fix: look at what the other ranks report; one of them has ended, hangs or "
        "cannot be reached";
    CHECK(errors[0] == "rank 0" + rest);
    CHECK(errors[1] == "rank 1" + rest);
}

}  // namespace meeting_test
