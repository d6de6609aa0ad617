#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "ptp-pack/common_options.hpp"

#include <fmt/core.h>

#include <ctime>
#include <filesystem>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

int run_sign(const Given& given) {
    const SecretKey key = chosen_secret_key(given);
    if (!is_plain(given.text("comment")) || given.text("comment").find('\n') != std::string::npos) {
        throw UsageError("--comment: must be one line without control characters");
    }
    for (const std::string& name : given.operands()) {
        const fs::path file = name;
        const std::string comment = given.has("comment")
                                        ? given.text("comment")
                                        : fmt::format("timestamp:{}\tfile:{}\thashed",
                                                      std::time(nullptr), file.filename().string());
        const std::string signature = name + kSignatureEnding;
        replace_file(signature, text_of(sign(key, hash_of_file(file), comment)));
        fmt::print("{}\n", signature);
    }
    return kDone;
}

}  // namespace

Command sign_command() {
    return {.name = "sign",
            .summary = "signs files: FILE.minisig",
            .details =
                "The signature is minisign's: minisign -V checks it, and minisign -S makes "
                "ones that\nptp-pack takes.\n",
            .operands = {{.name = "FILE",
                          .what = "a file",
                          .max = kMaxOperands,
                          .completions = {tools::kFiles}}},
            .options = tools::concat({secret_key_options(),
                                      {{.name = "comment",
                                        .value = "TEXT",
                                        .help = "the trusted comment; by default the time and the "
                                                "name of the file, as minisign's"}}}),
            .example = "ptp-pack sign my_losses-1.2.0-linux-x86_64.ptpkg --key jane.key",
            .run = run_sign};
}

}  // namespace ptp::pack
