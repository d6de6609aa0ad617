#include "pack/support.hpp"

#include "support/paths.hpp"

#include <algorithm>
#include <stdexcept>

namespace ptp::test {

namespace fs = std::filesystem;

std::string id_of_key(const fs::path& file) {
    const TempFolder unused;
    const std::string text = unused.read(file);
    const std::string begin = "minisign public key ";
    return text.substr(text.find(begin) + begin.size(), 16);
}

fs::path good_plugin() {
    return build_dir() / "tests/plugins/good/good.so";
}

fs::path other_plugin() {
    return build_dir() / "tests/unit/sdk/plain_samples.so";
}

PackUser::PackUser() {
    done({"key", "new", (path() / "jane").string()});
    done({"key", "trust", (path() / "jane.pub").string()});
}

std::map<std::string, std::string> PackUser::environment() const {
    const std::string folder = path().string();
    return {{"HOME", folder + "/home"},
            {"XDG_CONFIG_HOME", folder + "/config"},
            {"XDG_DATA_HOME", folder + "/data"},
            {"XDG_STATE_HOME", folder + "/state"},
            {"no_proxy", "127.0.0.1"}};
}

ProcessResult PackUser::run(const std::vector<std::string>& arguments,
                            std::map<std::string, std::string> environment,
                            const std::vector<Limit>& limits) const {
    environment.merge(this->environment());
    ProcessResult result = run_program("ptp-pack", arguments, environment, limits);
    result.output = replaced(result.output, path().string(), "T");
    result.errors = replaced(result.errors, path().string(), "T");
    return result;
}

ProcessResult PackUser::run_other(const std::string& program,
                                  const std::vector<std::string>& arguments) const {
    return run_program(program, arguments, environment());
}

std::string PackUser::done(const std::vector<std::string>& arguments) const {
    const ProcessResult result = run(arguments);
    if (result.status != 0) {
        throw std::runtime_error("ptp-pack " + arguments.front() + ": " + result.errors);
    }
    return result.output;
}

fs::path PackUser::pack(const Packed& what, const std::string& folder) const {
    const fs::path source = "source_of_" + what.name;
    temp_.write(source / "package.toml", "name = \"" + what.name + "\"\nversion = \"" +
                                             what.version + "\"\nlicense = \"MIT\"\n" + what.more);
    temp_.write(source / "docs/readme.md", what.readme);
    const std::string printed =
        done({"create", (path() / source).string(), "--plugin", what.plugin.string(), "--output",
              (path() / folder).string()});
    const fs::path file =
        replaced(printed.substr(0, printed.find('\n')), "T/", path().string() + "/");
    sign(file);
    return file;
}

void PackUser::sign(const fs::path& file, const std::string& key) const {
    done({"sign", file.string(), "--key", (path() / (key + ".key")).string()});
}

void PackUser::publish(const std::string& folder) const {
    done({"publish", (path() / folder).string(), "--key", (path() / "jane.key").string(), "--name",
          "test"});
}

std::vector<std::string> PackUser::in_packages() const {
    std::vector<std::string> names;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(packages(), error)) {
        names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace ptp::test
