#include "run/journal.hpp"

#include "support.hpp"
#include "support/small_files.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace journal_test {

using namespace ptp::run;
using ptp::Value;
using ptp::test::error_of;
using ptp::test::TempFolder;

namespace {

const std::string kHash(64, 'a');
const std::string kFirst =
    R"({"format":2,"number":1,"episode":120,"command":"learning_rate","arguments":{"rate":0.01},"time":"T1"})"
    "\n";

// Refuses one command, as control refuses those that it does not know.
void check(const Entry& entry) {
    if (entry.command == "pause") {
        throw std::runtime_error("pause is not one");
    }
}

Entry rate_at(std::uint64_t episode, double rate) {
    return {episode, "learning_rate", Value::table({{"rate", rate}}), "T1"};
}

std::vector<double> rates(const std::vector<Entry>& entries) {
    std::vector<double> all;
    for (const Entry& entry : entries) {
        all.push_back(entry.arguments.find("rate")->as_real());
    }
    return all;
}

}  // namespace

TEST_CASE("journal: entries are written as lines and read again") {
    const TempFolder folder;
    const auto file = folder.path() / "journal.jsonl";
    const std::vector<SwappedPlugin> plugins = {{"a", kHash, "a.1.so"}, {"b", kHash, "b.1.so"}};
    {
        Journal journal(file, check);
        CHECK(journal.entries().empty());
        CHECK(!std::filesystem::exists(file));
        journal.add(rate_at(120, 0.01));
        CHECK(folder.read("journal.jsonl") == kFirst);
        journal.add({200, "swap", swap_arguments(plugins), "T2"});
        journal.add({200, "validate", {}, "T3"});
    }
    CHECK(
        folder.read("journal.jsonl").substr(kFirst.size()) ==
        R"({"format":2,"number":2,"episode":200,"command":"swap","arguments":{"plugins":[{"plugin":"a","sha256":")" +
            kHash + R"(","file":"a.1.so"},{"plugin":"b","sha256":")" + kHash +
            R"(","file":"b.1.so"}]},"time":"T2"})"
            "\n"
            R"({"format":2,"number":3,"episode":200,"command":"validate","arguments":{},"time":"T3"})"
            "\n");
    const Journal journal(file, check);
    REQUIRE(journal.entries().size() == 3);
    CHECK(journal.entries()[0].arguments == Value::table({{"rate", 0.01}}));
    CHECK(swapped_plugins(journal.entries()[1]) == plugins);
    CHECK(journal.entries()[2].command == "validate");
    CHECK(journal.entries()[2].time == "T3");
}

TEST_CASE("journal: a change of the experiment has its values as they were written") {
    const TempFolder folder;
    const auto file = folder.path() / "journal.jsonl";
    const std::vector<std::string> values = {"a.b=1", "c=\"x,y\""};
    Journal(file, check).add({7, "set", set_arguments(values), "T"});
    CHECK(
        folder.read("journal.jsonl") ==
        R"({"format":2,"number":1,"episode":7,"command":"set","arguments":{"values":["a.b=1","c=\"x,y\""]},"time":"T"})"
        "\n");
    CHECK(set_values(read_journal(file, check).at(0)) == values);
}

TEST_CASE("journal: entries are in the order in which they take effect") {
    const TempFolder folder;
    const auto file = folder.path() / "journal.jsonl";
    Journal journal(file, check);
    journal.add(rate_at(100, 1));
    journal.add(rate_at(150, 2));
    journal.add(rate_at(120, 3));  // after a resume from 110
    journal.add(rate_at(150, 4));
    CHECK(rates(journal.entries()) == std::vector<double>{1, 3, 2, 4});
    CHECK(rates(read_journal(file, check)) == std::vector<double>{1, 3, 2, 4});
}

TEST_CASE("journal: a last line that was cut off does not count, at whatever byte") {
    const TempFolder folder;
    const std::string second = R"({"episode":130,"command":"validate","arguments":{},"time":"T2"})";
    for (std::size_t size = 0; size <= second.size(); ++size) {
        CAPTURE(size);
        const auto file = folder.write("journal.jsonl", kFirst + second.substr(0, size));
        CHECK(read_journal(file, check).size() == 1);
        Journal journal(file, check);
        CHECK(journal.entries().size() == 1);
        CHECK(folder.read("journal.jsonl") == kFirst);
        journal.add(rate_at(140, 0.5));
        CHECK(rates(read_journal(file, check)) == std::vector<double>{0.01, 0.5});
    }
}

TEST_CASE("journal: damage elsewhere is refused with its line") {
    const struct {
        std::string line;
        const char* message;
    } kCases[] = {
        {"", "is not a JSON object"},
        {R"({"episode":1,"comm)", "is not a JSON object"},
        {std::string(8, '\0'), "is not a JSON object"},
        {"[]", "is not a JSON object"},
        {"{}", "must have episode, command, arguments and time"},
        {R"({"episode":-1,"command":"validate","arguments":{},"time":""})",
         "must have episode, command, arguments and time"},
        {R"({"episode":1,"command":"pause","arguments":{},"time":""})", "pause is not one"},
        {R"({"episode":1,"command":"swap","arguments":{},"time":""})",
         "a swap must have plugins, each with plugin, sha256 and file"},
        {R"({"episode":1,"command":"swap","arguments":{"plugins":[{"plugin":"a","sha256":")" +
             kHash + R"(","file":"../a.so"}]},"time":""})",
         "a swap must have plugins, each with plugin, sha256 and file"},
        {R"({"episode":1,"command":"swap","arguments":{"plugins":[{"plugin":"a","sha256":"12",)"
         R"("file":"a.so"}]},"time":""})",
         "a swap must have plugins, each with plugin, sha256 and file"},
        {R"({"episode":1,"command":"set","arguments":{"values":["a=1",2]},"time":""})",
         "a set must have values, each of them KEY=VALUE"},
        {R"({"episode":1,"command":"set","arguments":{"values":[]},"time":""})",
         "a set must have values, each of them KEY=VALUE"},
    };
    const TempFolder folder;
    for (const auto& one : kCases) {
        CAPTURE(one.line);
        const auto file = folder.write("journal.jsonl", kFirst + one.line + "\n" + kFirst);
        CHECK(error_of([&] { read_journal(file, check); }) == file.string() + ":2: " + one.message);
        CHECK(error_of([&] { Journal(file, check); }) == file.string() + ":2: " + one.message);
    }
}

TEST_CASE("journal: a line that is missing or moved is noticed at the next one") {
    const TempFolder folder;
    const auto file = folder.path() / "journal.jsonl";
    Journal journal(file, check);
    std::vector<std::string> lines;
    for (const double rate : {1.0, 2.0, 3.0}) {
        journal.add(rate_at(100, rate));
        const std::string text = folder.read("journal.jsonl");
        lines.push_back(text.substr(text.rfind('\n', text.size() - 2) + 1));
    }
    const struct {
        std::string text;
        const char* message;
    } kCases[] = {
        {lines[1] + lines[2], ":1: is entry 2, where entry 1 must be"},
        {lines[0] + lines[2], ":2: is entry 3, where entry 2 must be"},
        {lines[0] + lines[2] + lines[1], ":2: is entry 3, where entry 2 must be"},
        {lines[0] + lines[0], ":2: is entry 1, where entry 2 must be"},
    };
    for (const auto& one : kCases) {
        folder.write("journal.jsonl", one.text);
        CHECK(error_of([&] { read_journal(file, check); }) ==
              file.string() + one.message + ": lines were removed or moved");
    }
    folder.write("journal.jsonl", R"({"format":2,"episode":1,"command":"validate",)"
                                  R"("arguments":{},"time":""})"
                                  "\n");
    CHECK(error_of([&] { read_journal(file, check); }) == file.string() + ":1: must have a number");
}

TEST_CASE("journal: what cannot be written is not in it, and the next entry is whole") {
    const TempFolder folder;
    const auto file = folder.path() / "journal.jsonl";
    Journal journal(file, check);
    journal.add(rate_at(120, 0.01));
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit full = before;
    full.rlim_cur = kFirst.size() + 10;
    setrlimit(RLIMIT_FSIZE, &full);
    const std::string error = error_of([&] { journal.add(rate_at(130, 0.5)); });
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, SIG_DFL);
    CHECK(error == "cannot write " + file.string() + ": File too large");
    CHECK(journal.entries().size() == 1);
    journal.add(rate_at(140, 0.25));
    CHECK(rates(read_journal(file, check)) == std::vector<double>{0.01, 0.25});
}

TEST_CASE("journal: lines before one that cannot be written are still brought to the disk") {
    const TempFolder folder;
    const auto file = folder.path() / "lines.jsonl";
    LineFile lines(file);
    lines.append(Value::table({{"a", 1}}));
    {
        const ptp::test::SmallFiles small(12);
        CHECK(error_of([&] {
                  lines.append(Value::table({{"b", 2}}));
              }) == "cannot write " + file.string() + ": File too large");
    }
    lines.sync();
    CHECK(folder.read("lines.jsonl") == "{\"a\":1}\n");
    {
        const ptp::test::SmallFiles small(12);
        CHECK_THROWS_AS(lines.append(Value::table({{"b", 2}})), ptp::RunError);
    }
    std::filesystem::remove(file);  // so that nothing can be flushed
    CHECK(error_of([&] { lines.sync(); }) ==
          "cannot continue with " + file.string() +
              ": No such file or directory"
              "\n    fix: put the file back as it was; without it, ptprun replay RUN trains anew");
}

TEST_CASE("journal: the group of a rate is shown without control characters") {
    CHECK(text_of(RateChange{5, 0.5, "a\033[2Jb"}).find('\033') == std::string::npos);
}

TEST_CASE("journal: what the check refuses is not added") {
    const TempFolder folder;
    const auto file = folder.path() / "journal.jsonl";
    Journal journal(file, check);
    CHECK(error_of([&] { journal.add({1, "pause", {}, "T"}); }) == "pause is not one");
    CHECK(error_of([&] {
              journal.add({1, "set", {}, "T"});
          }) == "a set must have values, each of them KEY=VALUE");
    CHECK(journal.entries().empty());
    CHECK(!std::filesystem::exists(file));
}

TEST_CASE("journal: lines without a number are of format 1, and a newer format is refused") {
    const TempFolder folder;
    const std::string old =
        R"({"episode":120,"command":"learning_rate","arguments":{"rate":0.01},"time":"T1"})"
        "\n";
    const auto file = folder.write("journal.jsonl", old);
    CHECK(rates(read_journal(file, check)) == std::vector<double>{0.01});
    folder.write("journal.jsonl", old + R"({"format":3,"what":"is this"})" + "\n");
    const std::string refused = file.string() +
                                ": written by format 3; this ptprun reads up to 2\n"
                                "    fix: use the ptprun that wrote it, or a newer one";
    CHECK(error_of([&] { read_journal(file, check); }) == refused);
    CHECK(error_of([&] { Journal(file, check); }) == refused);
    CHECK(folder.read("journal.jsonl").starts_with(old));
}

}  // namespace journal_test
