// SPDX-License-Identifier: GPL-2.0-only
#include "common/text.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace nadi
{

namespace
{

char
Lower(char letter)
{
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// Insertions, deletions and replacements that turn `a` into `b`, letters of either case being
/// the same (Levenshtein, one row at a time).
size_t
ComputeDistance(std::string_view a, std::string_view b)
{
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i)
    {
        // The row becomes that of the first i + 1 letters of `a`: entry j is their distance to the
        // first j letters of `b`. `diagonal` is entry j of the row before, which has been
        // overwritten.
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j)
        {
            const size_t replaced = diagonal + (Lower(a[i]) == Lower(b[j]) ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

/// The only candidate that begins with `word`; empty where there is none, or several.
std::string
CompleteWord(std::string_view word, const std::vector<std::string>& candidates)
{
    constexpr size_t SHORTEST = 3; // fewer letters begin many words
    const auto begins = [word](const std::string& candidate)
    { return candidate.starts_with(word); };
    const bool isOne =
        word.size() >= SHORTEST && std::count_if(candidates.begin(), candidates.end(), begins) == 1;
    return isOne ? *std::find_if(candidates.begin(), candidates.end(), begins) : "";
}

std::string
Join(const std::vector<std::string>& words, const char* lastSeparator)
{
    std::string text;
    for (size_t i = 0; i < words.size(); ++i)
    {
        if (i > 0)
        {
            text += i + 1 == words.size() ? lastSeparator : ", ";
        }
        text += words[i];
    }
    return text;
}

/// By the rules of English spelling; no noun here is an exception to them.
std::string
ToPlural(std::string_view noun)
{
    const bool isHissing =
        noun.ends_with("ch") || noun.ends_with("sh") || noun.ends_with("s") || noun.ends_with("x");
    const bool endsInVowelY =
        noun.size() > 1 &&
        std::string_view("aeiou").find(noun[noun.size() - 2]) != std::string_view::npos;
    if (noun.ends_with("y") && !endsInVowelY)
    {
        return std::string(noun.substr(0, noun.size() - 1)) + "ies";
    }
    return std::string(noun) + (isHissing ? "es" : "s");
}

} // namespace

std::string
FindNearest(std::string_view word, const std::vector<std::string>& candidates)
{
    const std::string whole = CompleteWord(word, candidates);
    return whole.empty() ? FindWithin(std::max<size_t>(2, word.size() / 3), word, candidates)
                         : whole;
}

std::string
FindWithin(size_t allowed, std::string_view word, const std::vector<std::string>& candidates)
{
    // One more than what is allowed, as a candidate must be better than this. Never more than the
    // word has letters: replacing all of them would lead to any word of that length.
    size_t best = std::min(allowed + 1, word.size());
    std::string nearest;
    for (const std::string& candidate : candidates)
    {
        const size_t distance = ComputeDistance(word, candidate);
        if (distance < best)
        {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string
JoinWithOr(const std::vector<std::string>& words)
{
    return Join(words, " or ");
}

std::string
SuggestFrom(std::string_view word, const std::vector<std::string>& candidates)
{
    const std::string nearest = FindNearest(word, candidates);
    if (!nearest.empty())
    {
        return " (did you mean " + nearest + "?)";
    }
    return "; known: " + (candidates.empty() ? "none" : Join(candidates, ", "));
}

std::string
CountText(uint64_t count, std::string_view noun)
{
    return std::to_string(count) + " " + (count == 1 ? std::string(noun) : ToPlural(noun));
}

std::string
ToClause(std::string_view text)
{
    const size_t stop = text.find(". ");
    std::string clause(text.substr(0, stop));
    if (stop == std::string_view::npos && clause.ends_with('.'))
    {
        clause.pop_back();
    }
    // One capital begins a word. Two begin an abbreviation such as NPU, which keeps its capitals.
    const auto isCapital = [&clause](size_t at)
    { return at < clause.size() && std::isupper(static_cast<unsigned char>(clause[at])) != 0; };
    if (isCapital(0) && !isCapital(1))
    {
        clause[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(clause[0])));
    }
    return clause;
}

/// Greedy: each part between two stars is looked for as early as it can be.
/// That is enough: a part that is found early leaves more of the name to the parts behind it, so
/// looking for a later place could never help.
bool
MatchesPattern(std::string_view name, std::string_view pattern)
{
    const size_t star = pattern.find('*');
    if (star == std::string_view::npos)
    {
        return name == pattern;
    }
    if (!name.starts_with(pattern.substr(0, star)))
    {
        return false;
    }
    size_t at = star; // in the name
    size_t from = star + 1;
    for (size_t next = pattern.find('*', from); next != std::string_view::npos;
         next = pattern.find('*', from))
    {
        const size_t found = name.find(pattern.substr(from, next - from), at);
        if (found == std::string_view::npos)
        {
            return false;
        }
        at = found + (next - from);
        from = next + 1;
    }
    // What follows the last star must end the name, and must not overlap what was matched before:
    // "a*a" does not match "a".
    const std::string_view rest = pattern.substr(from);
    return name.size() >= at + rest.size() && name.ends_with(rest);
}

} // namespace nadi
