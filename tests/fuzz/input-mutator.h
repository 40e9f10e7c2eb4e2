// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nadi::fuzz
{

/// Makes inputs of others, for builds without libFuzzer. Equal seeds make equal inputs.
class InputMutator
{
  public:
    /// Requires: there is a seed and a word.
    InputMutator(std::vector<std::string> seeds, std::vector<std::string> words, uint64_t seed)
        : m_seeds(std::move(seeds))
        , m_words(std::move(words))
        , m_state(seed)
    {
    }

    /// One of the seeds with one to eight changes: bytes that are others, new, gone or doubled, a
    /// word of the dictionary, a piece of another seed.
    std::string Next();

  private:
    uint64_t Draw(uint64_t count);
    const std::string& DrawSeed();
    std::string DrawPiece(const std::string& text);
    void Change(std::string& input);

    std::vector<std::string> m_seeds;
    std::vector<std::string> m_words;
    uint64_t m_state;
};

/// The words of a dictionary as libFuzzer has them: a line `"word"` each, in which `\xAB`, `\\` and
/// `\"` stand for a byte. Throws ConfigError for other lines, but for comments and empty ones.
std::vector<std::string> ParseDictionary(const std::string& text, const std::string& source);

} // namespace nadi::fuzz
