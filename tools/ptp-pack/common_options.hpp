// Options of several commands, and the objects that they select.

#pragma once

#include "ptp-pack/commands.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/repository.hpp"
#include "ptp-pack/store.hpp"
#include "ptp-pack/trusted_keys.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::pack {

// --system and --into FOLDER: selects the packages.
std::vector<Option> store_options();
Store chosen_store(const Given& given);

// --keys FOLDER, and with it --allow-unsigned.
Option keys_option();
std::vector<Option> trust_options();
TrustedKeys chosen_keys(const Given& given);
Unsigned chosen_strictness(const Given& given);

// Both, and --repository LOCATION and --allow-expired.
std::vector<Option> source_options();

// The packages and what is trusted, as the options of a command select them.
struct Sources : Access {
    explicit Sources(const Given& given);

    // Fetches and checks the indexes of the repositories of the command line, or else of the
    // configuration.
    [[nodiscard]] std::vector<OpenRepository> open_repositories(
        const std::filesystem::path& staging) const;

    Store store;
    std::vector<std::string> locations;  // of repositories on the command line
};

// Throws for a name that no installed package has.
[[noreturn]] void refuse_not_installed(const std::string& name,
                                       const std::vector<InstalledPackage>& installed);

// Returns the folders that ptprun searches for plugins without options.
std::vector<std::filesystem::path> plugin_folders();

// --key FILE and --password-file FILE.
std::vector<Option> secret_key_options();
SecretKey chosen_secret_key(const Given& given);

// Returns the first line of a file. Throws RunError if it cannot be read or is empty.
std::string password_from_file(const std::string& file);

// Returns "with the key 74EE58946A0D8F97" or "unsigned".
std::string signed_text(const std::string& key_id);

}  // namespace ptp::pack
