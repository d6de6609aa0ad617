// What the programs do with a named pipe or a device where a file is expected.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ptprun_file_kinds_test {

TEST_CASE("ptprun: what is not a file is refused, and not waited for") {
    const ptp::test::TempFolder temp;
    const std::string pipe = (temp.path() / "pipe.toml").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto refused = [](const std::vector<std::string>& words) {
        const auto result = ptp::test::run_program("ptprun", words);
        CHECK(result.status == 2);
        CHECK(result.output == "");
        return result.errors;
    };
    const std::string not_a_file = pipe + ": error: is not a regular file\n";
    for (const char* command : {"check", "summary", "draw", "explain", "process"}) {
        CAPTURE(command);
        CHECK(refused({command, pipe}) == not_a_file);
    }
    CHECK(refused({pipe}) == not_a_file);
    CHECK(refused({"check", "/dev/zero"}) == "/dev/zero: error: is not a regular file\n");
    CHECK(refused({"resume", pipe}) == "ptprun: error: " + pipe +
                                           " is a file, not a run folder\n"
                                           "    help: ptprun help resume\n");
    const std::string includes = temp.write("x.toml", "include = 'pipe.toml'\n").string();
    CHECK(ptp::test::without_excerpts(refused({"check", includes})) ==
          includes + ":1:11: error: include = \"pipe.toml\": " + pipe +
              ": is not a regular file\n");
}

TEST_CASE("ptprun: an experiment in YAML leads to the program that turns it into TOML") {
    const ptp::test::TempFolder temp;
    const std::string file = temp.write("net.yml", "training:\n  a: 1\n").string();
    const std::string toml = (temp.path() / "net.toml").string();
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{file}, {"check", file}, {"summary", file}}) {
        const auto result = ptp::test::run_program("ptprun", words);
        CHECK(result.status == 2);
        CHECK(result.errors == file +
                                   ": error: is YAML, and experiments are TOML; one of "
                                   "PyTorchPipe can be converted\n"
                                   "    fix: ptp-import " +
                                   file + " -o " + toml + "\n");
    }
}

TEST_CASE("ptprun: a file of weights in place of an experiment is named as a binary file") {
    const ptp::test::TempFolder temp;
    const std::string file = temp.write("net.pt", std::string("PK\3\4\0\0", 6)).string();
    const std::string text =
        file +
        ": error: is a binary file, and experiments are TOML\n"
        "    fix: name an experiment, the folder of a run or a bundle; weights "
        "alone are for an experiment whose [pipeline] has load = \"" +
        file + "\"\n";
    CHECK(ptp::test::run_program("ptprun", {file}).errors == text);
    CHECK(ptp::test::run_program("ptprun", {"predict", file, "--data", "x"}).errors == text);
}

TEST_CASE(
    "ptprun: the content decides whether a file is YAML, and one that is missing is missing") {
    const ptp::test::TempFolder temp;
    const std::string toml = temp.write("net.yaml", "nam = \"net\"\n").string();
    const auto named = ptp::test::run_program("ptprun", {"check", toml});
    CHECK(named.errors.find(toml + ":1:1: error: nam: unknown key; did you mean 'name'?\n") !=
          std::string::npos);
    const std::string wrong = temp.write("wrong.yaml", "[training]\nlr = 0,1\n").string();
    CHECK(
        ptp::test::run_program("ptprun", {"check", wrong})
            .errors.find(wrong + ":2:7: error: not valid TOML: a comma is not a decimal point\n") !=
        std::string::npos);
    for (const char* name : {"none.yaml", "none.yml", "none.json"}) {
        const std::string file = (temp.path() / name).string();
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{file}, {"check", file}, {"cv", file}}) {
            CHECK(ptp::test::run_program("ptprun", words).errors ==
                  file +
                      ": error: no such file; the experiments that come with ptp are in configs/ "
                      "of its sources, and in share/ptp/configs of an installation\n");
        }
    }
}

TEST_CASE("tools: a pipe, a device or a folder as output is refused before anything is read") {
    const ptp::test::TempFolder temp;
    const std::string pipe = (temp.path() / "pipe.svg").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    struct Case {
        const char* program;
        std::vector<std::string> words;
        const char* help;
    };
    const Case cases[] = {
        {"ptprun", {"draw", "/nowhere.toml"}, "ptprun help draw"},
        {"ptprun", {"check", "/nowhere.toml"}, "ptprun help check"},
        {"ptprun", {"record", "/nowhere.toml", "--component", "net"}, "ptprun help record"},
        {"ptp-import", {"/nowhere.yml"}, "ptp-import --help"},
        {"ptp-pack", {"set", "/nowhere"}, "ptp-pack help set"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.help);
        const auto refusal = [&](const std::string& output) {
            std::vector<std::string> words = c.words;
            words.insert(words.end(), {"-o", output});
            const auto result = ptp::test::run_program(c.program, words);
            CHECK(result.status == 2);
            CHECK(result.output == "");
            const std::string begin = std::string(c.program) + ": error: -o " + output + ": ";
            const std::string end = std::string("\n    help: ") + c.help + "\n";
            REQUIRE(result.errors.starts_with(begin));
            REQUIRE(result.errors.ends_with(end));
            return result.errors.substr(begin.size(),
                                        result.errors.size() - begin.size() - end.size());
        };
        CHECK(refusal(pipe) == "is not a regular file; name another one");
        CHECK(std::filesystem::is_fifo(pipe));
        const std::string folder = (temp.path() / "folder.svg").string();
        std::filesystem::create_directories(folder);
        CHECK(refusal(folder) == "is a folder; name a file");
        CHECK(refusal("/nowhere/x.svg") == "no such folder: /nowhere");
    }
    CHECK(
        ptp::test::run_program("ptp-import", {"/nowhere.yml", "-o", ""}).errors ==
        "ptp-import: error: --output \"\": must be the name of a file or folder, not empty; \".\" is "
        "the current folder\n    help: ptp-import --help\n");
    for (const std::string command : {"draw", "check"}) {
        CHECK(
            ptp::test::run_program("ptprun", {command, "/nowhere.toml", "-o", ""}).errors ==
            "ptprun: error: --output \"\": must be the name of a file or folder, not empty; \".\" is "
            "the current folder\n    help: ptprun help " +
                command + "\n");
    }
    CHECK(
        ptp::test::run_program("ptprun", {"check", "/nowhere.toml", "--plugins", ""}).errors ==
        "ptprun: error: --plugins \"\": must be the name of a file or folder, not empty; \".\" is "
        "the current folder\n    help: ptprun help check\n");
    const auto manifest = ptp::test::run_program("ptp-manifest", {"/nowhere.so", pipe});
    CHECK(manifest.status == 2);
    CHECK(manifest.errors == "cannot write " + pipe + ": it is not a regular file\n");
    CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("tools: an output does not replace what the command reads, or another program wrote") {
    const ptp::test::TempFolder temp;
    const std::string read = temp.write("read.toml", "").string();
    const std::string other = temp.write("other.toml", "").string();
    const auto errors = [](const std::string& program, const std::vector<std::string>& words) {
        const auto result = ptp::test::run_program(program, words);
        CHECK(result.status == 2);
        return result.errors;
    };
    CHECK(errors("ptprun", {"draw", read, "--format", "svg", "-o", read}) ==
          "ptprun: error: --output " + read + ": this is the file of " + read +
              ", which would be lost\n    fix: name another file\n    help: ptprun help draw\n");
    CHECK(
        errors("ptprun", {"draw", read, "--format", "svg", "-o", other}) ==
        "ptprun: error: -o " + other +
            ": there is such a file, which would be lost: the names of what is written here end "
            "with .svg, .png, .pdf, .dot or .txt\n    fix: name another file, or remove this one\n"
            "    help: ptprun help draw\n");
    CHECK(errors("ptprun", {"predict", "run", "--data", "new.csv", other, "-o", other}) ==
          "ptprun: error: --output " + other + ": this is the file of --data " + other +
              ", which would be lost\n    fix: name another file\n    help: ptprun help predict\n");
}

TEST_CASE("ptprun draw: a link stays one, and what it leads to is replaced or made") {
    const ptp::test::TempFolder temp;
    namespace fs = std::filesystem;
    const auto lenet = ptp::test::source_dir() / "configs/fashion_mnist/lenet5.toml";
    const std::string link = (temp.path() / "link.svg").string();
    temp.write("there/old.svg", "of before");
    for (const char* target : {"there/old.svg", "there/new.svg"}) {
        CAPTURE(target);
        fs::remove(link);
        fs::create_symlink(target, link);
        CHECK(ptp::test::run_program("ptprun", {"draw", lenet.string(), "-o", link}).status == 0);
        CHECK(fs::read_symlink(link) == target);
        CHECK(temp.read(target).find("<svg") != std::string::npos);
    }
    fs::remove(link);
    fs::create_symlink("link.svg", link);
    const auto ring = ptp::test::run_program("ptprun", {"draw", lenet.string(), "-o", link});
    CHECK(ring.status == 2);
    CHECK(ring.errors == "ptprun: error: -o " + link + ": cannot write " + link +
                             ": Too many levels of symbolic links\n    help: ptprun help draw\n");
}

}  // namespace ptprun_file_kinds_test
