// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// The only candidate that `word`, of three letters or more, is the beginning of ("seq" of
/// "sequence"); else the one nearest to it by edit distance, case ignored, or empty when none is
/// near enough to be meant (distance at most 2, or a third of the word's length; always less than
/// that length, so that a letter in common is needed). Ties: the first candidate.
std::string FindNearest(std::string_view word, const std::vector<std::string>& candidates);

/// The same, at a distance of at most `allowed`.
std::string
FindWithin(size_t allowed, std::string_view word, const std::vector<std::string>& candidates);

/// "a, b or c".
std::string JoinWithOr(const std::vector<std::string>& words);

/// A count and what is counted: "1 rank", "3 ranks", "2 switches", "4 memories".
std::string CountText(uint64_t count, std::string_view noun);

/// " (did you mean X?)" when a candidate is near, else "; known: a, b, c" ("; known: none").
std::string SuggestFrom(std::string_view word, const std::vector<std::string>& candidates);

/// The first sentence of `text` as a part of another one: without its full stop, and with a small
/// first letter unless it begins an abbreviation. "The number of NPUs. It ..." -> "the number of
/// NPUs".
std::string ToClause(std::string_view text);

/// Whether the whole name fits the pattern, in which each * stands for any letters, also for none.
bool MatchesPattern(std::string_view name, std::string_view pattern);

} // namespace nadi
