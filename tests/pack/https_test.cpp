// Repositories over HTTPS, with an authority and servers made on the spot: openssl makes the
// certificates, Python's ssl serves them.

#include "pack/support.hpp"
#include "pack/web_server.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace https_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp::test;

// make NAME SUBJECT-ALTERNATIVE-NAME BEGIN END: NAME.pem, signed by the authority, and NAME.key.
constexpr const char* kMake = R"sh(
set -eu
cd "$1"
mkdir new
: >index.txt
cat >ca.cnf <<'END'
[ca]
default_ca = own
[own]
dir = .
new_certs_dir = new
database = index.txt
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[req]
distinguished_name = name
[name]
END
new_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }
authority() {
    new_key "$1"
    openssl req -x509 -config ca.cnf -new -key "$1.key" -subj "/CN=$1" -days 3650 -out "$1.pem" \
        -addext basicConstraints=critical,CA:TRUE
}
make() {
    new_key "$1"
    openssl req -config ca.cnf -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
    echo "subjectAltName = $2" >"$1.ext"
    openssl ca -config ca.cnf -batch -notext -cert authority.pem -keyfile authority.key -in "$1.csr" \
        -out "$1.pem" -extfile "$1.ext" -startdate "$3" -enddate "$4"
}
authority authority
authority another
make valid IP:127.0.0.1 20200101000000Z 20991231000000Z
make expired IP:127.0.0.1 20200101000000Z 20200201000000Z
make early IP:127.0.0.1 20990101000000Z 20991231000000Z
make of_another_host DNS:example.org 20200101000000Z 20991231000000Z
new_key self_signed
openssl req -x509 -config ca.cnf -new -key self_signed.key -subj /CN=self -days 3650 \
    -out self_signed.pem -addext subjectAltName=IP:127.0.0.1
)sh";

bool has_programs() {
    const bool has =
        std::system("command -v openssl >/dev/null && command -v python3 >/dev/null") == 0;
    if (!has) {
        MESSAGE("skipped: there is no openssl or no python3 here");
    }
    return has;
}

// A user with a repository, T/made, and certificates in T/tls.
class HttpsUser : public PackUser {
public:
    HttpsUser() {
        pack(Packed{});
        publish();
        fs::create_directories(path() / "tls");
        temp().write("make.sh", kMake);
        const std::string command =
            "bash '" + (path() / "make.sh").string() + "' '" + tls("") + "' 2>'" + tls("log") + "'";
        const int made = std::system(command.c_str());
        INFO(temp().read("tls/log"));
        REQUIRE(made == 0);
    }

    [[nodiscard]] std::string tls(const std::string& name) const {
        return (path() / "tls" / name).string();
    }

    [[nodiscard]] Certificate certificate(const std::string& name) const {
        return {tls(name + ".pem"), tls(name + ".key")};
    }

    // What `ptp-pack search` does with a server that has this certificate.
    [[nodiscard]] ptp::test::ProcessResult search(const std::string& certificate_name,
                                                  const std::string& authorities) const {
        const WebServer server(path() / "made", certificate(certificate_name));
        auto result = run({"search", "--repository", server.address()},
                          {{"SSL_CERT_FILE", tls(authorities)}, {"CURL_CA_BUNDLE", ""}});
        result.errors = ptp::test::replaced(result.errors, server.address(), "ADDRESS");
        return result;
    }
};

}  // namespace

TEST_CASE("https: a server with a certificate of a trusted authority is taken") {
    if (!has_programs()) {
        return;
    }
    const HttpsUser user;
    const auto found = user.search("valid", "authority.pem");
    CHECK(found.errors == "");
    CHECK(found.output == "good                     1.0.0        \n");
    const WebServer server(user.path() / "made", user.certificate("valid"));
    require_success(user.run({"install", "good", "--repository", server.address()},
                             {{"CURL_CA_BUNDLE", user.tls("authority.pem")}}));
}

TEST_CASE("https: a server whose certificate is wrong is refused, each with its reason") {
    if (!has_programs()) {
        return;
    }
    struct Case {
        const char* certificate;
        const char* authorities;
        const char* errors;
    };
    const char* const unknown =
        "its certificate is not of an authority that is trusted here\n    fix: check the address; if "
        "the authority is your own, name the file of its certificate: SSL_CERT_FILE=FILE\n";
    const Case cases[] = {
        {"expired", "authority.pem",
         "its certificate has expired\n    fix: ask who runs the server to renew it; if it was "
         "renewed, check the clock of this machine\n"},
        {"early", "authority.pem",
         "its certificate is not valid yet\n    fix: check the clock of this machine; if it is right, "
         "ask who runs the server\n"},
        {"of_another_host", "authority.pem",
         "its certificate is of another host\n    fix: check the address; if it is right, ask who "
         "runs the server\n"},
        {"valid", "another.pem", unknown},
        {"self_signed", "authority.pem", unknown},
    };
    const HttpsUser user;
    for (const Case& c : cases) {
        CAPTURE(c.certificate);
        const auto result = user.search(c.certificate, c.authorities);
        CHECK(result.errors ==
              std::string("ptp-pack: error: cannot fetch ADDRESS/index.toml: ") + c.errors);
        CHECK(result.status == 5);
    }
    const auto no_file = user.search("valid", "nowhere.pem");
    CHECK(no_file.errors ==
          "ptp-pack: error: cannot fetch ADDRESS/index.toml: the certificates of authorities in "
          "'T/tls/nowhere.pem' cannot be read\n    fix: name a file of certificates (PEM): "
          "SSL_CERT_FILE=FILE; or unset the variable\n");
    CHECK(no_file.status == 5);
}

}  // namespace https_test
