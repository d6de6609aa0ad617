// `ptprun fetch`, with a server on this machine and a list of a test's own.

#include "pack/web_server.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/replaced.hpp"
#include "support/temp_folder.hpp"
#include "tools/small_mnist.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace ptprun_fetch_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp::test;

// A test vector of FIPS 180-2, and its SHA-256.
const std::string kWords = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
const std::string kHash = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";

bool has_python() {
    const bool has = std::system("command -v python3 >/dev/null") == 0;
    WARN_MESSAGE(has, "skipped: there is no python3 here");
    return has;
}

// An experiment that lacks its data, and a server that has words.txt.
class Fetcher {
public:
    Fetcher() : server_((temp_.write("served/words.txt", kWords)).parent_path()) {
        temp_.write("e.toml", replaced(ptp::test::small_mnist::kMnistExperiment, "FOLDER", "data"));
        list("words.txt", "bytes = 56\nsha256 = \"" + kHash + "\"");
    }

    // A list of one file, which is below the address of the server.
    void list(const std::string& served, const std::string& more,
              const std::string& files = R"(["words.txt"])") const {
        temp_.write("list.toml",
                    "[[data]]\ncomponent = \"MNIST\"\nfolder = \"data_folder\"\nfiles = " + files +
                        "\nurl = \"" + server_.address() + "/" + served + "\"\n" + more + "\n");
    }

    ProcessResult ptprun(std::vector<std::string> words,
                         const std::vector<Limit>& limits = {}) const {
        words.insert(words.begin() + 1, (temp_.path() / "e.toml").string());
        ProcessResult result = ptp::test::run_program(
            "ptprun", words, {{"PTP_DOWNLOADS", (temp_.path() / "list.toml").string()}}, limits);
        for (std::string* text : {&result.output, &result.errors}) {
            *text =
                replaced(replaced(*text, server_.address(), "ADDRESS"), temp_.path().string(), "T");
        }
        return result;
    }

    [[nodiscard]] bool has(const char* file) const { return fs::exists(temp_.path() / file); }
    [[nodiscard]] const ptp::test::TempFolder& temp() const { return temp_; }
    [[nodiscard]] const std::string& address() const { return server_.address(); }

private:
    ptp::test::TempFolder temp_;
    ptp::test::WebServer server_;
};

constexpr const char* kAgain =
    "    fix: the same command continues where this one ended; take the file from elsewhere: --mirror "
    "ADDRESS\n";
constexpr const char* kElsewhere = "    fix: take the file from elsewhere: --mirror ADDRESS\n";

}  // namespace

TEST_CASE("ptprun fetch: what the check misses is fetched, and then nothing is missing") {
    if (!has_python()) {
        return;
    }
    const Fetcher fetcher;
    const std::string missing =
        "T/e.toml:8:15: error: training.task.data_folder: no such file or folder: T/data; take the "
        "four files of MNIST from https://ossci-datasets.s3.amazonaws.com/mnist/, and set data_folder "
        "to where they are\n    fix: ptprun fetch T/e.toml";
    const ProcessResult checked = fetcher.ptprun({"check"});
    CHECK(checked.status == 4);
    CHECK(without_excerpts(checked.errors) == missing + "\n");
    CHECK(without_excerpts(
              fetcher.ptprun({"check", "--set", "seed=3", "--set", "name=a b"}).errors) ==
          missing + " --set seed=3 --set 'name=a b'\n");
    CHECK(without_excerpts(fetcher.ptprun({"data"}).errors) == missing + "\n");
    const std::string source = "ADDRESS/words.txt, 0.1 kB\n  T/data/words.txt\n";
    CHECK(fetcher.ptprun({"fetch", "--list"}).output == source);
    CHECK_FALSE(fetcher.has("data"));
    const ProcessResult fetched = fetcher.ptprun({"fetch"});
    CHECK(fetched.errors == "");
    CHECK(fetched.output == source + "T/e.toml: no file is missing\n");
    CHECK(fetched.status == 0);
    CHECK(fetcher.temp().read("data/words.txt") == kWords);
    CHECK_FALSE(fetcher.has("data/words.txt.part"));
    CHECK(fetcher.ptprun({"check"}).status == 0);
    CHECK(fetcher.ptprun({"fetch"}).output == "T/e.toml: no file is missing\n");
}

TEST_CASE("ptprun fetch: it counts what was fetched also where ends of processes are ignored") {
    if (!has_python()) {
        return;
    }
    const Fetcher fetcher;
    const ProcessResult fetched = ptp::test::run_program(
        "/bin/sh",
        {"-c", "trap '' CHLD; exec \"$0\" fetch \"$1\"", (build_dir() / "bin/ptprun").string(),
         (fetcher.temp().path() / "e.toml").string()},
        {{"PTP_DOWNLOADS", (fetcher.temp().path() / "list.toml").string()}});
    CHECK(fetched.errors == "");
    CHECK(fetched.output.ends_with("e.toml: no file is missing\n"));
    CHECK(fetched.status == 0);
}

TEST_CASE("ptprun fetch: a file that is missing in a folder that is there is fetched, too") {
    const Fetcher fetcher;
    fetcher.list("words.txt", "or = [\"train-images-idx3-ubyte\"]\nsha256 = \"" + kHash + "\"");
    fetcher.temp().write("data/other.txt", "");
    const std::string fix = "\n    fix: ptprun fetch T/e.toml\n";
    for (const std::vector<std::string>& words : {std::vector<std::string>{"check", "--data"},
                                                  {"summary"},
                                                  {"draw", "--parameters"},
                                                  {"data"}}) {
        CAPTURE(words.front());
        const ProcessResult result = fetcher.ptprun(words);
        CHECK(result.errors.ends_with(fix));
        CHECK(result.status == 4);
    }
}

TEST_CASE("ptprun fetch: what an earlier one has received is not fetched again") {
    if (!has_python()) {
        return;
    }
    struct Case {
        std::string served;  // /parts sends the rest alone that is asked for
        std::string part;
        std::string content;  // of the server's file
    };
    const std::string other_start = std::string(20, 'x') + kWords.substr(20);
    const Case cases[] = {
        {"parts/words.txt", kWords.substr(0, 20), other_start},
        {"words.txt", kWords.substr(0, 20), kWords},        // the server sends the whole file
        {"parts/words.txt", std::string(20, 'x'), kWords},  // is not the start of it
        {"parts/words.txt", std::string(90, 'x'), kWords},  // longer than the file
        {"parts/words.txt", kWords, other_start},           // all was there
    };
    for (const Case& c : cases) {
        CAPTURE(c.served);
        CAPTURE(c.part);
        const Fetcher fetcher;
        fetcher.list(c.served, "bytes = 56\nsha256 = \"" + kHash + "\"");
        fetcher.temp().write("served/words.txt", c.content);
        fetcher.temp().write("data/words.txt.part", c.part);
        require_success(fetcher.ptprun({"fetch"}));
        CHECK(fetcher.temp().read("data/words.txt") == kWords);
    }
}

TEST_CASE("ptprun fetch: each failure has its reason, and leaves no wrong file") {
    if (!has_python()) {
        return;
    }
    struct Case {
        const char* served;
        std::string more;
        std::string errors;
        int status;
    };
    const std::string known = "sha256 = \"248d6a61\"";
    const std::string other(64, '0');
    const Case cases[] = {
        {"nothing.txt", known,
         std::string("cannot fetch ADDRESS/nothing.txt: the server has no such file\n") +
             kElsewhere,
         4},
        {"busy", known, std::string("cannot fetch ADDRESS/busy: the server answers 503\n") + kAgain,
         5},
        {"words.txt", "sha256 = \"" + other + "\"",
         "what ADDRESS/words.txt answers has the SHA-256 " + kHash + " and not " + other +
             ", which is known; it was removed\n" + kElsewhere,
         4},
        {"words.txt", "bytes = 55\n" + known,
         std::string(
             "what ADDRESS/words.txt answers has more than the 55 bytes that are known; it was "
             "removed\n") +
             kElsewhere,
         4},
    };
    for (const Case& c : cases) {
        CAPTURE(c.served);
        const Fetcher fetcher;
        fetcher.list(c.served, c.more);
        const ProcessResult fetched = fetcher.ptprun({"fetch"});
        CHECK(fetched.errors == "ptprun: error: " + c.errors);
        CHECK(fetched.status == c.status);
        CHECK_FALSE(fetcher.has("data"));
    }
}

TEST_CASE("ptprun fetch: after a connection that breaks off the same command continues") {
    if (!has_python()) {
        return;
    }
    const Fetcher fetcher;
    fetcher.list("cut/words.txt", "sha256 = \"" + kHash + "\"");
    const ProcessResult cut = fetcher.ptprun({"fetch"});
    CHECK(cut.errors ==
          std::string(
              "ptprun: error: cannot fetch ADDRESS/cut/words.txt: Transferred a partial file\n") +
              kAgain);
    CHECK(cut.status == 5);
    CHECK(fetcher.temp().read("data/words.txt.part") == kWords.substr(0, 28));
    CHECK_FALSE(fetcher.has("data/words.txt"));
    fetcher.list("parts/words.txt", "sha256 = \"" + kHash + "\"");
    CHECK(fetcher.ptprun({"fetch"}).status == 0);
    CHECK(fetcher.temp().read("data/words.txt") == kWords);
}

TEST_CASE("ptprun fetch: without a server, and without room, it is reported and can continue") {
    if (!has_python()) {
        return;
    }
    const Fetcher fetcher;
    const ProcessResult none = fetcher.ptprun({"fetch", "--mirror", "http://127.0.0.1:1/"});
    CHECK(
        none.errors ==
        std::string("ptprun: error: cannot fetch http://127.0.0.1:1/words.txt: Couldn't connect to "
                    "server\n") +
            kAgain);
    CHECK(none.status == 5);
    fetcher.temp().write("file", "");
    const std::string below = (fetcher.temp().path() / "file/below").string();
    const ProcessResult no_folder =
        fetcher.ptprun({"fetch", "--set", "training.task.data_folder=" + below});
    CHECK(no_folder.errors ==
          "ptprun: error: cannot write T/file/below/words.txt.part: Not a directory\n"
          "    fix: set training.task.data_folder to a place where you may write\n");
    CHECK(no_folder.status == 2);
    fetcher.temp().write("served/words.txt", std::string(2000, 'x'));
    fetcher.list("words.txt", "sha256 = \"" + kHash + "\"");
    const ProcessResult full = fetcher.ptprun({"fetch"}, {{RLIMIT_FSIZE, 1000}});
    CHECK(full.errors == "ptprun: error: cannot write T/data/words.txt.part: File too large\n");
    CHECK(full.status == 5);
    fetcher.temp().write("served/words.txt", kWords);
    fetcher.list("words.txt", "bytes = 56\nsha256 = \"" + kHash + "\"");
    const ProcessResult mirrored =
        fetcher.ptprun({"fetch", "--mirror", fetcher.address() + "/parts"});
    CHECK(mirrored.output ==
          "ADDRESS/parts/words.txt, 0.1 kB\n  T/data/words.txt\nT/e.toml: no file is missing\n");
    CHECK(fetcher.temp().read("data/words.txt") == kWords);
}

TEST_CASE("ptprun fetch: of an archive the files of the list are unpacked, and no others") {
    if (!has_python()) {
        return;
    }
    const Fetcher fetcher;
    const std::string served = (fetcher.temp().path() / "served").string();
    REQUIRE(std::system(("cd '" + served +
                         "' && mkdir -p a && printf one >a/one && printf two >two && "
                         "tar czf all.tgz ./a/one two && python3 -m zipfile -c all.zip a two && "
                         "sha256sum all.tgz | cut -c1-64 | tr -d '\\n' >tgz && "
                         "sha256sum all.zip | cut -c1-64 | tr -d '\\n' >zip")
                            .c_str()) == 0);
    for (const std::string kind : {"tgz", "zip"}) {
        CAPTURE(kind);
        const std::string hash = "sha256 = \"" + fetcher.temp().read("served/" + kind) + "\"\n";
        fetcher.list("all." + kind, hash + "unpack = true", R"(["a/one"])");
        CHECK(fetcher.ptprun({"fetch"}).output ==
              "ADDRESS/all." + kind + "\n  T/data/a/one\nT/e.toml: no file is missing\n");
        CHECK(fetcher.temp().read("data/a/one") == "one");
        CHECK_FALSE(fetcher.has("data/two"));
        CHECK_FALSE(fetcher.has(("data/all." + kind).c_str()));
        fetcher.list("all." + kind, hash + "unpack = true", R"(["a/one", "three"])");
        CHECK(fetcher.ptprun({"fetch"}).errors ==
              "ptprun: error: T/data/all." + kind + ".part: has no file 'three'\n");
        fs::remove_all(fetcher.temp().path() / "data");
    }
    fetcher.list("words.txt", "unpack = true\nsha256 = \"" + kHash + "\"", R"(["a/one"])");
    CHECK(
        fetcher.ptprun({"fetch"}).errors ==
        "ptprun: error: T/data/words.txt.part: cannot be unpacked: Unrecognized archive format\n");
}

TEST_CASE("ptprun fetch: files that are there in another form, and other settings, need nothing") {
    if (!has_python()) {
        return;
    }
    const Fetcher fetcher;
    const std::string hash = "sha256 = \"" + kHash + "\"\n";
    fetcher.temp().write("data/words", "");
    fetcher.list("words.txt", hash + "or = [\"words\"]");
    CHECK(fetcher.ptprun({"fetch", "--list"}).output == "T/e.toml: no file is missing\n");
    fetcher.list("words.txt", hash + "when = { use_train_data = false }");
    CHECK(fetcher.ptprun({"fetch", "--list"}).output == "T/e.toml: no file is missing\n");
    fetcher.list("words.txt", hash + "when = { use_train_data = true }");
    CHECK(fetcher.ptprun({"fetch", "--list"}).output == "ADDRESS/words.txt\n  T/data/words.txt\n");
}

TEST_CASE("ptprun fetch: is no fix of data that are there and wrong") {
    const Fetcher fetcher;
    for (const char* file : {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"}) {
        fetcher.temp().write(std::string("data/") + file, "x");
    }
    CHECK(
        without_excerpts(fetcher.ptprun({"check", "--data"}).errors) ==
        "T/e.toml:5:1: error: the task of [training] (MNIST): T/data/train-images-idx3-ubyte: is "
        "not an idx file of 3 dimensions: expected it to begin with the number 2051, but it is only "
        "1 bytes long; take the four files of MNIST from "
        "https://ossci-datasets.s3.amazonaws.com/mnist/, and set data_folder to where they are\n");
}

TEST_CASE("ptprun fetch: weights are known by the name of the file that is loaded, or set") {
    if (!has_python()) {
        return;
    }
    const Fetcher fetcher;
    fetcher.temp().write("list.toml", "[[weights]]\nfile = \"net-248d6a61.pth\"\nurl = \"" +
                                          fetcher.address() +
                                          "/words.txt\"\nsha256 = \"248d6a61\"\n");
    const std::string file = (fetcher.temp().path() / "weights/net-248d6a61.pth").string();
    const std::string load = "pipeline.net.load=" + file;
    const std::string set = "pipeline.x={type=\"SentencePieceTokenizer\",model_file=\"" + file +
                            "\",streams={inputs=\"labels\"}}";
    for (const std::string& one : {load, set}) {
        CHECK(fetcher.ptprun({"fetch", "--list", "--set", one}).output ==
              "ADDRESS/words.txt\n  T/weights/net-248d6a61.pth\n");
    }
    CHECK(fetcher.ptprun({"check", "--set", load})
              .errors.find("    fix: ptprun fetch T/e.toml --set "
                           "pipeline.net.load=T/weights/net-248d6a61.pth\n") != std::string::npos);
    CHECK(fetcher.ptprun({"fetch", "--set", load}).status == 4);  // the data are missing still
    CHECK(fetcher.temp().read("weights/net-248d6a61.pth") == kWords);
}

TEST_CASE("ptprun fetch: what is wrong in a list is reported") {
    const Fetcher fetcher;
    fetcher.temp().write(
        "list.toml",
        "data = 1\n[[weights]]\nfile = \"a\"\nurl = \"b\"\nsha256 = \"12\"\nsize = 3\n");
    const ProcessResult wrong = fetcher.ptprun({"fetch"});
    CHECK(
        without_excerpts(wrong.errors) ==
        "T/list.toml:1:8: error: data: must be a list of tables\n"
        "T/list.toml:5:10: error: weights.sha256 = \"12\": must be 64 hexadecimal digits in lower "
        "case, or the first 8 of them\n"
        "T/list.toml:6:1: error: weights.size: unknown key; known: url, bytes, sha256, file\n3 errors\n");
    CHECK(wrong.status == 2);
    fs::remove(fetcher.temp().path() / "list.toml");
    CHECK(fetcher.ptprun({"fetch"}).errors ==
          "ptprun: error: cannot read T/list.toml: No such file or directory\n");
}

}  // namespace ptprun_fetch_test
