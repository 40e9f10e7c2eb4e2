// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/file-contents.h"

#include "common/error.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

namespace nadi
{

namespace
{

constexpr size_t SMALLEST_GZIP = 18;        // header and trailer
constexpr size_t LIKELY_EXPANSION = 64;     // beyond it, the buffer grows as data comes
constexpr int GZIP_WINDOW = 16 + MAX_WBITS; // gzip framing only

/// A first size of the buffer: the size that the trailer of the last member states (modulo 2^32),
/// where that is likely. A damaged file may state anything, so it is bounded.
size_t
GuessInflatedSize(const std::string& compressed)
{
    uint32_t stated = 0;
    for (size_t byte = 1; byte <= 4; ++byte)
    {
        const auto digit = static_cast<unsigned char>(compressed[compressed.size() - byte]);
        stated = (stated << 8) | digit;
    }
    return std::clamp<size_t>(stated, 1, LIKELY_EXPANSION * compressed.size());
}

/// Owns zlib's state while a file is inflated.
class Inflater
{
  public:
    explicit Inflater(const std::string& compressed)
        : m_left(compressed.size())
    {
        m_stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
        m_isReady = inflateInit2(&m_stream, GZIP_WINDOW) == Z_OK;
    }

    ~Inflater()
    {
        inflateEnd(&m_stream);
    }

    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Writes at most `space` bytes; returns how many. Empty with IsDone() false: damaged.
    size_t Write(char* target, size_t space)
    {
        m_stream.next_out = reinterpret_cast<Bytef*>(target);
        // zlib counts in 32 bits, so a larger buffer is filled by several calls.
        const auto most = static_cast<uInt>(std::min<size_t>(space, LARGEST));
        m_stream.avail_out = most;
        while (m_stream.avail_out > 0 && m_isReady && !IsDone())
        {
            Step();
        }
        return most - m_stream.avail_out;
    }

    bool IsDone() const
    {
        return m_isAtEnd && m_left == 0;
    }

  private:
    static constexpr size_t LARGEST = std::numeric_limits<uInt>::max();

    void Step()
    {
        if (m_isAtEnd)
        {
            m_isAtEnd = false; // another member follows
            inflateReset(&m_stream);
        }
        const auto given = static_cast<uInt>(std::min(m_left, LARGEST));
        m_stream.avail_in = given;
        const int result = inflate(&m_stream, Z_NO_FLUSH);
        m_left -= given - m_stream.avail_in;
        m_isAtEnd = result == Z_STREAM_END;
        // There is room for output, so Z_BUF_ERROR means that no input is left: the data is cut
        // off.
        m_isReady = m_isAtEnd || result == Z_OK;
    }

    z_stream m_stream{};
    size_t m_left;
    bool m_isAtEnd = false;
    bool m_isReady = false;
};

} // namespace

std::string
ReadFileContents(const std::filesystem::path& path)
{
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (std::filesystem::is_directory(status))
    {
        throw ConfigError(path.string(), "is a folder; name a file");
    }
    // To open a pipe would wait for its writer, and none of these has a size.
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    {
        throw ConfigError(path.string(), "is a pipe or a device; write its contents to a file");
    }
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file)
    {
        throw ConfigError(path.string(), fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    std::string contents(static_cast<size_t>(file.tellg()), '\0');
    file.seekg(0);
    if (!file.read(contents.data(), static_cast<std::streamsize>(contents.size())))
    {
        throw ConfigError(path.string(), "cannot be read to its end");
    }
    return contents;
}

bool
IsCompressed(const std::string& contents)
{
    return contents.starts_with("\x1f\x8b");
}

std::string
Inflate(const std::string& compressed, const std::string& source)
{
    if (compressed.size() < SMALLEST_GZIP)
    {
        throw ConfigError(source, "the gzip file is cut off; copy or compress it again");
    }
    std::string inflated(GuessInflatedSize(compressed), '\0');
    Inflater inflater(compressed);
    size_t size = 0;
    while (!inflater.IsDone())
    {
        if (size == inflated.size())
        {
            inflated.resize(2 * size);
        }
        const size_t written = inflater.Write(inflated.data() + size, inflated.size() - size);
        size += written;
        if (written == 0 && !inflater.IsDone())
        {
            throw ConfigError(source,
                              fmt::format("the gzip data is damaged or cut off (after {} bytes "
                                          "inflated); copy or compress it again",
                                          size));
        }
    }
    inflated.resize(size);
    return inflated;
}

} // namespace nadi
