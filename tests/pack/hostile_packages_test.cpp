// Packages that are wrong on purpose, and signed with a key that is trusted: none is installed,
// none ends the program otherwise than with an error, and nothing is left of any.

#include "pack/hostile_packages.hpp"
#include "base/sha256.hpp"
#include "pack/support.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace hostile_packages_test {

namespace {

using namespace ptp::test;

// What is written as a package.
using Make = std::function<std::string(Parts)>;

struct Hostile {
    std::string name;
    Make make;
    std::string message;  // after "T/bad.ptpkg" and before the rest
};

// A package with one more entry, which its manifest does not have.
Make with(const TarEntry& entry) {
    return [entry](Parts parts) {
        parts.entries.push_back(entry);
        return compressed(tar_of(parts));
    };
}

// A package whose parts were changed.
Make changed(const std::function<void(Parts&)>& change) {
    return [change](Parts parts) {
        change(parts);
        return compressed(tar_of(parts));
    };
}

// A package with this text for a manifest.
Make described_by(const std::function<std::string(const std::string&)>& change) {
    return [change](const Parts& parts) {
        std::vector<TarEntry> entries = {
            {ptp::pack::kManifestFile, change(ptp::pack::text_of(parts.manifest))}};
        entries.insert(entries.end(), parts.entries.begin(), parts.entries.end());
        return compressed(tar_of(entries));
    };
}

Make with_replaced(const std::string& from, const std::string& to) {
    return described_by(
        [=](const std::string& text) { return ptp::test::replaced(text, from, to); });
}

TarEntry& readme_of(Parts& parts) {
    return parts.entries.front();
}

const std::string kNotZstd =
    ": is not a package, or is damaged: it cannot be read as a tar archive with zstd\n";

std::vector<Hostile> archives() {
    return {
        {"nothing", [](const Parts&) { return ""; }, kNotZstd},
        {"a text", [](const Parts&) { return "a package"; }, kNotZstd},
        {"an archive that is not compressed", [](const Parts& parts) { return tar_of(parts); },
         kNotZstd},
        {"compressed twice",
         [](const Parts& parts) { return compressed(compressed(tar_of(parts))); }, kNotZstd},
        {"nothing, compressed", [](const Parts&) { return compressed(std::string(1024, '\0')); },
         ": is not a package: manifest.toml is not its first file\n"},
        {"a text, compressed", [](const Parts&) { return compressed("a package"); }, kNotZstd},
        {"cut off",
         [](const Parts& parts) {
             const std::string whole = compressed(tar_of(parts));
             return whole.substr(0, whole.size() / 2);
         },
         kNotZstd},
        {"a manifest that is not first",
         [](Parts parts) {
             parts.entries.push_back({ptp::pack::kManifestFile, text_of(parts.manifest)});
             return compressed(tar_of(parts.entries));
         },
         ": is not a package: manifest.toml is not its first file\n"},
        {"a manifest without an end", described_by([](const std::string& text) {
             return text + std::string(std::size_t{5} << 20U, '#');
         }),
         ": its manifest.toml has more than 4 MiB\n"},
        {"an entry that is longer than its header states",
         [](const Parts& parts) {
             std::vector<TarEntry> entries = {{ptp::pack::kManifestFile, text_of(parts.manifest)}};
             entries.push_back(parts.entries.front());
             entries.back().size = "00575360400";  // 100,000,000 bytes
             return compressed(tar_of(entries));
         },
         ": 'docs/readme.md' is not what manifest.toml declares: it was changed\n"},
    };
}

std::vector<Hostile> entries() {
    const std::string only = ": a package has regular files only\n";
    return {
        {"a path out of the package", with({"../evil", "x"}),
         ": the path '../evil' leads out of the package\n"},
        {"a path out of it in the middle", with({"docs/../../evil", "x"}),
         ": the path 'docs/../../evil' leads out of the package\n"},
        {"an absolute path", with({"/tmp/evil", "x"}), ": the path '/tmp/evil' is absolute\n"},
        {"a hidden file", with({"docs/.bashrc", "x"}),
         ": the path 'docs/.bashrc' is hidden: it begins with '.'\n"},
        {"an empty part", with({"docs//x", "x"}), ": the path 'docs//x' has an empty part\n"},
        {"control characters", with({"docs/\x1b[2J", "x"}),
         ": the path 'docs/?[2J' has a character other than printable ASCII without blanks and \\ "
         ": * ? \" < > |\n"},
        {"a path of another system", with({"docs\\..\\evil", "x"}),
         ": the path 'docs\\..\\evil' has a character other than printable ASCII without blanks "
         "and \\ : * ? \" < > |\n"},
        {"a symbolic link", with({"docs/link", "", '2', "/etc/passwd"}),
         ": 'docs/link' is a symbolic link" + only},
        {"a hard link", with({"docs/link", "", '1', "docs/readme.md"}),
         ": 'docs/link' is a hard link" + only},
        {"a device", with({"docs/zero", "", '3'}), ": 'docs/zero' is a device" + only},
        {"a pipe", with({"docs/pipe", "", '6'}), ": 'docs/pipe' is a named pipe" + only},
        {"a folder", with({"docs/more", "", '5'}), ": 'docs/more' is a folder" + only},
        {"a file that is not declared", with({"docs/more", "x"}),
         ": 'docs/more' is not declared in its manifest\n"},
        {"a file twice", with({"docs/readme.md", "What it is.\n"}),
         ": 'docs/readme.md' is in it twice\n"},
        {"a manifest twice", with({"manifest.toml", "x"}), ": 'manifest.toml' is in it twice\n"},
        {"a file that is missing",
         changed([](Parts& parts) { parts.entries.erase(parts.entries.begin()); }),
         ": lacks 'docs/readme.md', which its manifest declares\n"},
        {"a changed file",
         changed([](Parts& parts) { readme_of(parts).content = "What it was\n"; }),
         ": 'docs/readme.md' is not what manifest.toml declares: it was changed\n"},
        {"a longer file", changed([](Parts& parts) { readme_of(parts).content += "More.\n"; }),
         ": 'docs/readme.md' is not what manifest.toml declares: it was changed\n"},
        {"a link in place of a file", changed([](Parts& parts) {
             readme_of(parts) = {"docs/readme.md", "", '2', "/etc/passwd"};
         }),
         ": 'docs/readme.md' is a symbolic link" + only},
        {"a library that is not one", changed([](Parts& parts) {
             parts.manifest.files.pop_back();
             const std::string path = parts.entries.back().path;
             parts.entries.pop_back();
             parts.add(path, "not a library");
             parts.manifest.libraries.front().sha256 = ptp::sha256("not a library");
         }),
         "good 1.0.0: LIBRARY is not an ELF file: it begins with 'not a l'\n"},
    };
}

// What a manifest declares; the message begins with a place in it.
std::vector<Hostile> manifests() {
    const std::string files = "/manifest.toml:FILES: files: ";
    return {
        {"a manifest that is not TOML", described_by([](const std::string&) { return "= ="; }),
         "/manifest.toml:1:1: "},
        {"a manifest nested too deep",
         described_by([](const std::string&) { return "a = " + std::string(100'000, '['); }),
         "/manifest.toml:1:"},
        {"a newer format", with_replaced("format = 1", "format = 2"),
         "/manifest.toml: is of format 2, this ptp-pack reads 1\n    fix: use a newer ptp\n"},
        {"a key that is unknown", with_replaced("summary = ", "run_this = "),
         "/manifest.toml:4:1: error: run_this: unknown key"},
        {"a name that is a path", with_replaced("name = \"good\"", "name = \"../good\""),
         "/manifest.toml:2:8: error: name = \"../good\": must be at most 64 lower-case letters, "
         "digits and '_', a letter first\n"},
        {"a version that is not one", with_replaced("version = \"1.0.0\"", "version = \"1\""),
         "/manifest.toml:3:11: error: version = \"1\": must be a version such as 1.2.0 or "
         "1.2.0-rc.1\n"},
        {"a text with control characters",
         with_replaced("license = \"MIT\"", "license = \"\\u001b[2J\""),
         "/manifest.toml:5:11: error: license = "},
        {"a dependency on itself", changed([](Parts& parts) {
             parts.manifest.about.dependencies.push_back({"good", {}, "*", {}});
         }),
         "dependencies.good: must be the name of another package\n"},
        {"a requirement that is not one", changed([](Parts& parts) {
             parts.manifest.about.dependencies.push_back({"other", {}, "~1.0", {}});
         }),
         "must be a requirement of a version\n    fix: write \"*\", \">=1.2.0\" or \">=1.2.0, "
         "<2.0.0\"\n"},
        {"a declared path out of the package",
         changed([](Parts& parts) { parts.add("../evil", "x"); }),
         "'../evil' leads out of the package\n"},
        {"a declared absolute path", changed([](Parts& parts) { parts.add("/evil", "x"); }),
         "'/evil' is absolute\n"},
        {"a path of 201 bytes",
         changed([](Parts& parts) { parts.add("docs/" + std::string(196, 'a'), "x"); }),
         "is longer than 200 bytes\n"},
        {"17 folders",
         changed([](Parts& parts) { parts.add("a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a", "x"); }),
         "is more than 16 folders deep\n"},
        {"two paths that differ in case",
         changed([](Parts& parts) { parts.add("docs/README.md", "x"); }),
         "'docs/readme.md' is there twice\n"},
        {"a file that is a folder too",
         changed([](Parts& parts) { parts.add("docs/readme.md/more", "x"); }),
         "'docs/readme.md' is there twice\n"},
        {"what ptp-pack writes itself",
         changed([](Parts& parts) { parts.add("installed.toml", "x"); }),
         "'installed.toml' is there twice\n"},
        {"a plugin that is not declared as one",
         changed([](Parts& parts) { parts.add("plugins/more.so", "x"); }),
         "'plugins/more.so' is in plugins/, and no library\n"},
        {"a library elsewhere",
         changed([](Parts& parts) { parts.manifest.libraries.front().path = "docs/readme.md"; }),
         "'docs/readme.md' must be in plugins/\n"},
        {"no library", changed([](Parts& parts) {
             parts.manifest.libraries.clear();
             parts.manifest.files.pop_back();
         }),
         "must have at least one library\n"},
        {"a plugin twice for one libtorch", changed([](Parts& parts) {
             parts.manifest.libraries.push_back(parts.manifest.libraries.front());
         }),
         "plugin 'good' is there twice for "},
        {"a hash that is not one", changed([](Parts& parts) {
             parts.manifest.files.front().sha256 = "../../../../etc/passwd";
         }),
         "'docs/readme.md': sha256 must be 64 hexadecimal digits\n"},
        {"a size below zero", changed([](Parts& parts) { parts.manifest.files.front().size = -1; }),
         "files.size = -1: must be in [0, inf)\n"},
        {"a bomb by its manifest",
         changed([](Parts& parts) { parts.manifest.files.front().size = std::int64_t{1} << 40U; }),
         "would unpack to more than "},
        {"a bomb by its content", changed([](Parts& parts) {
             parts.add("docs/zeros", std::string(std::size_t{16} << 20U, '\0'));
         }),
         "would unpack to more than "},
        {"a library under the name of another plugin",
         changed([](Parts& parts) { parts.manifest.libraries.front().plugin = "losses"; }),
         "is good 1.2.3 with ABI 1.6, and is declared as losses 1.2.3 with ABI 1.6\n"},
        {"a library under another version",
         changed([](Parts& parts) { parts.manifest.libraries.front().version = "9.0.0"; }),
         "is good 1.2.3 with ABI 1.6, and is declared as good 9.0.0 with ABI 1.6\n"},
        {"an ABI of a later host",
         changed([](Parts& parts) { parts.manifest.libraries.front().abi = "1.999"; }),
         "is built for ABI 1.999, this host has 1."},
        {"another libtorch",
         changed([](Parts& parts) { parts.manifest.libraries.front().libtorch = "0.4"; }),
         "is built for libtorch 0.4, this host has "},
        {"another sanitizer",
         changed([](Parts& parts) { parts.manifest.libraries.front().sanitizer = "memory"; }),
         "is built with sanitizer memory, this host with "},
        {"more files than there may be", changed([](Parts& parts) {
             for (int i = 0; i < 10'000; ++i) {
                 parts.add("docs/" + std::to_string(i), "");
             }
         }),
         ": has 10002 files, more than 10000\n"},
        {"an ABI that is not one",
         changed([](Parts& parts) { parts.manifest.libraries.front().abi = "one"; }),
         "has the ABI 'one', which is not a version\n"},
    };
}

}  // namespace

TEST_CASE("hostile packages: none is installed, each is refused by name, and nothing is left") {
    const PackUser user;
    const auto good = user.pack(Packed{});
    const Parts parts = ptp::test::parts_of(good);
    std::size_t count = 0;
    for (const auto& table : {archives(), entries(), manifests()}) {
        for (const Hostile& hostile : table) {
            CAPTURE(hostile.name);
            const auto file = user.temp().write("bad.ptpkg", hostile.make(parts));
            user.sign(file);
            const auto result = user.run({"install", file.string()});
            CAPTURE(result.errors);
            const std::string message = ptp::test::replaced(hostile.message, "LIBRARY",
                                                            parts.manifest.libraries.front().path);
            CHECK(result.errors.find(message) != std::string::npos);
            CHECK((result.status == 4 || result.status == 3));
            CHECK(result.output == "");
            CHECK(user.in_packages() == std::vector<std::string>{".lock"});
            for (const char* reader : {"verify", "show"}) {
                CHECK(user.run({reader, file.string()}).status < 128);
            }
            ++count;
        }
    }
    CHECK(count >= 61);
    CHECK(user.run({"install", good.string()}).status == 0);
}

TEST_CASE("hostile packages: a library that claims to fit this host is read again and refused") {
    const PackUser user;
    Parts parts = ptp::test::parts_of(user.pack(Packed{}));
    parts.manifest.libraries.front().platform = "linux-pdp11";
    const auto file = user.temp().write("bad.ptpkg", compressed(tar_of(parts)));
    user.sign(file);
    const auto result = user.run({"install", file.string()});
    CHECK(result.errors.find("good 1.0.0: has no library of the plugin 'good' for this host\n") !=
          std::string::npos);
    CHECK(result.errors.find("is built for linux-pdp11, this host is linux-") != std::string::npos);
    CHECK(result.status == 3);
}

}  // namespace hostile_packages_test
