// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/workload-line.h"

#include "common/error.h"
#include "common/utf8-text.h"

#include <charconv>
#include <iterator>
#include <sstream>
#include <utility>

namespace nadi
{

WorkloadLine::WorkloadLine(const std::string& text, std::string where)
    : m_where(std::move(where))
{
    if (!IsUtf8(text))
    {
        Fail("is not in UTF-8, as traces and results are; save the file in UTF-8");
    }
    std::istringstream stream(text);
    m_words.assign(std::istream_iterator<std::string>(stream), {});
}

void
WorkloadLine::Fail(const std::string& problem) const
{
    throw ConfigError(m_where, problem);
}

const std::string&
WorkloadLine::Word(size_t at, const char* what) const
{
    if (at >= m_words.size())
    {
        Fail(fmt::format("ends before the {}", what));
    }
    return m_words[at];
}

uint64_t
WorkloadLine::Number(size_t at, const char* what) const
{
    return ReadUpTo({uint64_t{1} << 53, "2^53"}, at, what);
}

uint32_t
WorkloadLine::Count(size_t at, const char* what) const
{
    return static_cast<uint32_t>(ReadUpTo({uint64_t{1} << 24, "2^24"}, at, what));
}

uint64_t
WorkloadLine::ReadUpTo(const Most& most, size_t at, const char* what) const
{
    const std::string& word = Word(at, what);
    uint64_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc{} || rest != end || value > most.value)
    {
        Fail(fmt::format("\"{}\" is no {}; write a whole number up to {}", word, what, most.text));
    }
    return value;
}

} // namespace nadi
