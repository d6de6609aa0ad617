#include "run/plugins_lock.hpp"

#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>

namespace plugins_lock_test {

using namespace ptp::run;
using ptp::test::error_of;
using ptp::test::TempFolder;

namespace {

const std::string kHash(64, 'a');

LockedGeneration generation(std::uint64_t from_episode, const std::string& file) {
    return {.number = 0,
            .version = "1.0.0",
            .sha256 = kHash,
            .file = file,
            .source = "/home/me/" + file,
            .from_episode = from_episode};
}

}  // namespace

TEST_CASE("plugins lock: what is written is for people, and reads back equal") {
    const TempFolder folder;
    const auto file = folder.path() / "plugins.lock";
    PluginsLock lock;
    CHECK(lock.add("torch_models", generation(0, "m.0.so")) == 1);
    CHECK(lock.add("tasks", generation(0, "t.so")) == 1);
    CHECK(lock.add("torch_models", generation(120, "m.1.so")) == 2);
    write_plugins_lock(file, lock);
    CHECK(read_plugins_lock(file) == lock);
    const auto block = [](const char* plugin, const char* number, const char* name,
                          const char* episode) {
        return std::string("[[plugins.") + plugin + "]]\ngeneration = " + number +
               "\nversion = \"1.0.0\"\nsha256 = \"" + kHash + "\"\nfile = \"" + name +
               "\"\nsource = \"/home/me/" + name + "\"\nfrom_episode = " + episode + "\n";
    };
    CHECK(folder.read("plugins.lock") ==
          "# format 1: which plugins were active from which episode; written by ptprun\n\n" +
              block("torch_models", "1", "m.0.so", "0") + "\n" +
              block("torch_models", "2", "m.1.so", "120") + "\n" +
              block("tasks", "1", "t.so", "0"));
    write_plugins_lock(file, {});
    CHECK(read_plugins_lock(file) == PluginsLock());
}

TEST_CASE("plugins lock: which generation was active") {
    PluginsLock lock;
    lock.add("a", generation(0, "0"));
    lock.add("a", generation(150, "1"));
    lock.add("a", generation(120, "2"));  // swapped after a resume from 110; 150 is still to come
    lock.add("a", generation(150, "3"));
    lock.add("b", generation(10, "b"));
    const auto file_at = [&](std::uint64_t episode) { return lock.active("a", episode)->file; };
    CHECK(file_at(0) == "0");
    CHECK(file_at(119) == "0");
    CHECK(file_at(120) == "2");
    CHECK(file_at(149) == "2");
    CHECK(file_at(150) == "3");
    CHECK(file_at(1000000) == "3");
    CHECK(lock.active("b", 9) == nullptr);
    CHECK(lock.active("c", 9) == nullptr);
}

TEST_CASE("plugins lock: all that is wrong is reported with its place") {
    const TempFolder folder;
    const auto file = folder.write("plugins.lock",
                                   "plugin = 1\n"          // 1
                                   "[[plugins.a]]\n"       // 2
                                   "generation = 2\n"      // 3
                                   "version = \"1\"\n"     // 4
                                   "sha256 = \"ABC\"\n"    // 5
                                   "file = \"../x.so\"\n"  // 6
                                   "source = 5\n"          // 7
                                   "from_episode = -1\n"   // 8
                                   "[[plugins.a]]\n"       // 9
                                   "generation = 2\n"      // 10
                                   "versoin = \"1\"\n"     // 11
                                   "sha256 = \"" +
                                       kHash +
                                       "\"\n"                // 12
                                       "file = \"x.so\"\n"   // 13
                                       "source = \"\"\n"     // 14
                                       "from_episode = 0\n"  // 15
                                       "[plugins.b]\n");     // 16
    const std::string at = file.string() + ":";
    CHECK(error_of([&] { read_plugins_lock(file); }) ==
          at + "1:1: plugin: unknown key; known: plugins\n" + at +
              "5:10: plugins.a.sha256 = \"ABC\": must be 64 hexadecimal digits\n" + at +
              "6:8: plugins.a.file = \"../x.so\": must be the name of a file, without a folder\n" +
              at + "7:10: plugins.a.source = 5: must be a string, not an integer\n" + at +
              "8:16: plugins.a.from_episode = -1: must be in [0, inf)\n" + at +
              "9:1: plugins.a.generation: must be greater than the one before\n" + at +
              "11:1: plugins.a.versoin: unknown key; did you mean 'version'?\n" + at +
              "16:1: plugins.b = {}: must be a list of generations");
}

TEST_CASE("plugins lock: no file, no TOML, no plugins") {
    const TempFolder folder;
    const std::string file = (folder.path() / "plugins.lock").string();
    CHECK(error_of([&] { read_plugins_lock(file); }) ==
          "cannot read " + file + ": No such file or directory");
    folder.write("plugins.lock", "a = [\n");
    CHECK(error_of([&] { read_plugins_lock(file); }).starts_with(file + ":"));
    folder.write("plugins.lock", "");
    CHECK(error_of([&] { read_plugins_lock(file); }) ==
          file + ": plugins: required, but missing: a table");
}

TEST_CASE(
    "plugins lock: one without a number is of format 1, and one of a newer format is refused") {
    const TempFolder folder;
    const std::string table = "[[plugins.a]]\ngeneration = 1\nversion = \"1\"\nsha256 = \"" +
                              kHash + "\"\nfile = \"a.so\"\nsource = \"\"\nfrom_episode = 0\n";
    const auto file = folder.write(
        "plugins.lock",
        "# Which plugins were active from which episode; written by ptprun.\n\n" + table);
    CHECK(read_plugins_lock(file).plugins.size() == 1);
    folder.write("plugins.lock", "# format 1\n" + table);
    CHECK(read_plugins_lock(file).plugins.size() == 1);
    folder.write("plugins.lock", "# format 3: what nobody knows yet\nx = 1\n");
    CHECK(error_of([&] { read_plugins_lock(file); }) ==
          file.string() +
              ": written by format 3; this ptprun reads up to 1\n"
              "    fix: use the ptprun that wrote it, or a newer one");
}

}  // namespace plugins_lock_test
