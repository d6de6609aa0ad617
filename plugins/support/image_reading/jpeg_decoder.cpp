// libjpeg reports errors by a function that must not return. It jumps back to attempt_jpeg(), over
// frames of libjpeg and of the functions passed to it. These frames contain no objects with
// destructors, which are in the Jpeg or outside of attempt_jpeg().

#include "jpeg_decoder.hpp"

#include "orientation.hpp"

#include <ptp/error.hpp>

#include <csetjmp>
#include <cstring>
#include <span>

// Included after <cstdio>, which declares FILE, and before jerror.h, whose message numbers depend
// on its macros.
#include <jpeglib.h>

#include <jerror.h>

namespace ptp::support {

namespace {

constexpr unsigned kExifMarker = JPEG_APP0 + 1;
constexpr unsigned kMaxMarkerBytes = 0xffff;
constexpr int kMaxScans = 500;  // in a progressive file; more would only take time

struct Jpeg {
    jpeg_decompress_struct info{};  // first, because libjpeg's functions get a pointer to it
    jpeg_error_mgr errors{};
    jpeg_progress_mgr progress{};
    std::jmp_buf give_up{};
    char message[JMSG_LENGTH_MAX]{};  // the reason of a failure
    bool is_damaged = false;          // by a warning, which is in `message`
    std::FILE* file = nullptr;
    uint8_t* row = nullptr;  // each row overwrites the previous one
    const ImageDecoder::TakeRow* take = nullptr;

    Jpeg() { info.err = jpeg_std_error(&errors); }
    Jpeg(const Jpeg&) = delete;
    Jpeg& operator=(const Jpeg&) = delete;
    ~Jpeg() { jpeg_destroy_decompress(&info); }
};

Jpeg& owner(j_common_ptr info) {
    return *static_cast<Jpeg*>(info->client_data);
}

[[noreturn]] void on_jpeg_error(j_common_ptr info) {
    Jpeg& jpeg = owner(info);
    info->err->format_message(info, jpeg.message);
    std::longjmp(jpeg.give_up, 1);
}

// Returns whether libjpeg continues with invented pixels after the warning; others leave the image
// as it is.
bool is_damage(int code) {
    switch (code) {
        case JWRN_ARITH_BAD_CODE:
        case JWRN_BOGUS_PROGRESSION:
        case JWRN_HIT_MARKER:
        case JWRN_HUFF_BAD_CODE:
        case JWRN_JPEG_EOF:
        case JWRN_MUST_RESYNC:
        case JWRN_NOT_SEQUENTIAL:
            return true;
        default:
            return false;
    }
}

void on_message(j_common_ptr info, int level) {
    Jpeg& jpeg = owner(info);
    if (level < 0 && !jpeg.is_damaged && is_damage(info->err->msg_code)) {
        info->err->format_message(info, jpeg.message);
        jpeg.is_damaged = true;
    }
}

void on_progress(j_common_ptr info) {
    Jpeg& jpeg = owner(info);
    if (jpeg.info.input_scan_number > kMaxScans) {
        std::snprintf(jpeg.message, sizeof jpeg.message, "more than %d scans", kMaxScans);
        std::longjmp(jpeg.give_up, 1);
    }
}

// Returns false if libjpeg failed.
bool attempt_jpeg(Jpeg& jpeg, void (*work)(Jpeg&)) {
    if (setjmp(jpeg.give_up) != 0) {
        return false;
    }
    work(jpeg);
    return true;
}

void read_jpeg_header(Jpeg& jpeg) {
    jpeg.info.client_data = &jpeg;
    jpeg.errors.error_exit = on_jpeg_error;
    jpeg.errors.emit_message = on_message;
    jpeg_create_decompress(&jpeg.info);
    jpeg.progress.progress_monitor = on_progress;
    jpeg.info.progress = &jpeg.progress;
    jpeg_stdio_src(&jpeg.info, jpeg.file);
    jpeg_save_markers(&jpeg.info, kExifMarker, kMaxMarkerBytes);
    jpeg_read_header(&jpeg.info, TRUE);
    jpeg_calc_output_dimensions(&jpeg.info);
}

// Computes the size of the pixels: libjpeg decides which files it can decode reduced.
void measure_output(Jpeg& jpeg) {
    jpeg_calc_output_dimensions(&jpeg.info);
}

void start_jpeg_pixels(Jpeg& jpeg) {
    jpeg_start_decompress(&jpeg.info);
}

size_t row_bytes_of(const jpeg_decompress_struct& info) {
    return static_cast<size_t>(info.output_width) * static_cast<size_t>(info.output_components);
}

void read_jpeg_rows(Jpeg& jpeg) {
    jpeg_decompress_struct& info = jpeg.info;
    const size_t row_bytes = row_bytes_of(info);
    while (info.output_scanline < info.output_height) {
        const JDIMENSION number = info.output_scanline;
        jpeg_read_scanlines(&info, &jpeg.row, 1);
        (*jpeg.take)(number, {jpeg.row, row_bytes});
    }
    jpeg_finish_decompress(&info);
}

int orientation(const Jpeg& jpeg) {
    constexpr char kExif[] = {'E', 'x', 'i', 'f', 0, 0};
    for (jpeg_saved_marker_ptr marker = jpeg.info.marker_list; marker != nullptr;
         marker = marker->next) {
        if (marker->marker == kExifMarker && marker->data_length > sizeof kExif &&
            std::memcmp(marker->data, kExif, sizeof kExif) == 0) {
            return exif_orientation(
                {marker->data + sizeof kExif, marker->data_length - sizeof kExif});
        }
    }
    return 1;
}

// Converts cyan, magenta, yellow and black to red, green, blue, without color profiles. Adobe's
// programs, and now all others, store the remaining light instead of the amount of ink.
void replace_inks(std::vector<uint8_t>& pixels, bool has_adobe_marker) {
    const uint32_t flip = has_adobe_marker ? 0 : 255;
    size_t to = 0;
    for (size_t from = 0; from + 3 < pixels.size(); from += 4) {
        const uint32_t black = pixels[from + 3] ^ flip;
        for (size_t i = 0; i < 3; ++i) {
            const uint32_t light = pixels[from + i] ^ flip;
            pixels[to++] = static_cast<uint8_t>((light * black + 127) / 255);
        }
    }
    pixels.resize(to);
}

class JpegDecoder : public ImageDecoder {
public:
    JpegDecoder(std::FILE* file, const std::filesystem::path& path) : path_(path) {
        jpeg_.file = file;
        if (!attempt_jpeg(jpeg_, read_jpeg_header)) {
            refuse();
        }
    }

    StoredImage head() const override {
        return {jpeg_.info.image_height, jpeg_.info.image_width, orientation(jpeg_)};
    }

    // Makes libjpeg-turbo drop the highest frequencies of each block of 8 x 8 pixels.
    void reduce(int64_t height, int64_t width) override {
        unsigned eighths = 1;
        while (eighths < kWholeBlock && (eighths_of(jpeg_.info.image_height, eighths) < height ||
                                         eighths_of(jpeg_.info.image_width, eighths) < width)) {
            ++eighths;
        }
        jpeg_.info.scale_num = eighths;
        jpeg_.info.scale_denom = kWholeBlock;
        if (!attempt_jpeg(jpeg_, measure_output)) {
            refuse();
        }
    }

    StoredImage decoded_size() const override {
        return {jpeg_.info.output_height, jpeg_.info.output_width, orientation(jpeg_)};
    }

    int64_t decode(int64_t wanted, std::vector<uint8_t>& pixels) override {
        start(wanted);
        const size_t row_bytes = row_bytes_of(jpeg_.info);
        pixels.resize(row_bytes * jpeg_.info.output_height);
        read_rows([&](int64_t row, std::span<const uint8_t> bytes) {
            std::memcpy(pixels.data() + static_cast<size_t>(row) * row_bytes, bytes.data(),
                        row_bytes);
        });
        if (has_inks()) {
            replace_inks(pixels, jpeg_.info.saw_Adobe_marker != FALSE);
        }
        return has_inks() || wanted == 3 ? 3 : 1;
    }

    bool decode_rows(int64_t wanted, const TakeRow& take) override {
        if (has_inks()) {
            return false;
        }
        start(wanted);
        read_rows(take);
        return true;
    }

private:
    static constexpr unsigned kWholeBlock = 8;

    // Rounds as libjpeg does. The final size is decoded_size().
    static int64_t eighths_of(int64_t pixels, unsigned count) {
        return (pixels * count + kWholeBlock - 1) / kWholeBlock;
    }

    bool has_inks() const {
        const J_COLOR_SPACE stored = jpeg_.info.jpeg_color_space;
        return stored == JCS_CMYK || stored == JCS_YCCK;
    }

    void start(int64_t wanted) {
        jpeg_.info.out_color_space = has_inks() ? JCS_CMYK : wanted == 1 ? JCS_GRAYSCALE : JCS_RGB;
        if (!attempt_jpeg(jpeg_, start_jpeg_pixels)) {
            refuse();
        }
    }

    // Reads one row at a time, which stays in the processor's cache. libjpeg-turbo writes rows at
    // multiples of 32 bytes (16 without AVX2) past the cache.
    void read_rows(const TakeRow& take) {
        constexpr size_t kBesideMultiples = 8;
        std::vector<uint8_t> row(kBesideMultiples + row_bytes_of(jpeg_.info));
        jpeg_.row = row.data() + kBesideMultiples;
        jpeg_.take = &take;
        if (!attempt_jpeg(jpeg_, read_jpeg_rows) || jpeg_.is_damaged) {
            refuse();
        }
    }

    [[noreturn]] void refuse() const {
        throw DataError(path_, ": is a JPEG file that cannot be read (", jpeg_.message, ")");
    }

    std::filesystem::path path_;
    Jpeg jpeg_;
};

}  // namespace

std::unique_ptr<ImageDecoder> open_jpeg(std::FILE* file, const std::filesystem::path& path) {
    return std::make_unique<JpegDecoder>(file, path);
}

}  // namespace ptp::support
