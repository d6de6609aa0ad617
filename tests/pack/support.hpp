// A user of ptp-pack with folders of their own.
#pragma once

#include "support/process.hpp"
#include "support/replaced.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::test {

// The id in the file of a public key, which differs from run to run.
std::string id_of_key(const std::filesystem::path& file);

// The plugin `good` of the tests, without libtorch, and another one of them.
std::filesystem::path good_plugin();
std::filesystem::path other_plugin();

struct Packed {
    std::string name = "good";
    std::string version = "1.0.0";
    std::filesystem::path plugin = good_plugin();
    std::string more = {};  // of package.toml
    std::string readme = "What it is.\n";
};

class PackUser {
public:
    // With a key pair, T/jane.key and T/jane.pub, that is trusted.
    PackUser();

    [[nodiscard]] const std::filesystem::path& path() const { return temp_.path(); }
    [[nodiscard]] const TempFolder& temp() const { return temp_; }
    [[nodiscard]] std::filesystem::path packages() const { return path() / "data/ptp/packages"; }

    // Runs ptp-pack; the folder is T in what it prints.
    [[nodiscard]] ProcessResult run(const std::vector<std::string>& arguments,
                                    std::map<std::string, std::string> environment = {},
                                    const std::vector<Limit>& limits = {}) const;
    // The same for another program.
    [[nodiscard]] ProcessResult run_other(const std::string& program,
                                          const std::vector<std::string>& arguments) const;

    // Runs ptp-pack, which must end with 0; returns what it prints.
    std::string done(const std::vector<std::string>& arguments) const;

    // Makes NAME-VERSION-linux-MACHINE.ptpkg in a folder below, and signs it with jane's key.
    std::filesystem::path pack(const Packed& what, const std::string& folder = "made") const;

    void sign(const std::filesystem::path& file, const std::string& key = "jane") const;

    // Publishes T/FOLDER with jane's key.
    void publish(const std::string& folder = "made") const;

    // The names in the folder of the packages, hidden ones too, in order.
    [[nodiscard]] std::vector<std::string> in_packages() const;

private:
    [[nodiscard]] std::map<std::string, std::string> environment() const;

    TempFolder temp_;
};

}  // namespace ptp::test
