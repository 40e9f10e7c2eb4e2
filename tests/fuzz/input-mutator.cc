// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/input-mutator.h"

#include "common/error.h"
#include "common/hash.h"

#include <algorithm>
#include <sstream>

namespace nadi::fuzz
{

namespace
{

constexpr uint64_t MOST_CHANGES = 8;
constexpr uint64_t LONGEST_PIECE = 64;

/// The byte that `text` begins with, taken off. Of `\xAB`, four characters are.
char
TakeByte(std::string& text)
{
    size_t length = 1;
    char byte = text[0];
    if (text.starts_with("\\x"))
    {
        length = 4;
        byte = static_cast<char>(std::stoi(text.substr(2, 2), nullptr, 16));
    }
    else if (byte == '\\')
    {
        length = 2;
        byte = text.at(1);
    }
    text.erase(0, length);
    return byte;
}

std::string
Unquote(std::string text)
{
    std::string word;
    while (!text.empty())
    {
        word += TakeByte(text);
    }
    return word;
}

} // namespace

uint64_t
InputMutator::Draw(uint64_t count)
{
    m_state = Mix64(m_state);
    return m_state % count;
}

const std::string&
InputMutator::DrawSeed()
{
    return m_seeds[Draw(m_seeds.size())];
}

std::string
InputMutator::DrawPiece(const std::string& text)
{
    return text.substr(Draw(text.size() + 1), 1 + Draw(LONGEST_PIECE));
}

void
InputMutator::Change(std::string& input)
{
    const size_t at = Draw(input.size() + 1);
    switch (Draw(6))
    {
    case 0:
        input.replace(at, at < input.size() ? 1 : 0, 1, static_cast<char>(Draw(256)));
        return;
    case 1:
        input.insert(at, 1, static_cast<char>(Draw(256)));
        return;
    case 2:
        input.erase(at, 1 + Draw(LONGEST_PIECE));
        return;
    case 3:
        input.insert(at, DrawPiece(input));
        return;
    case 4:
    {
        const std::string& word = m_words[Draw(m_words.size())];
        input.replace(at, Draw(2) == 0 ? 0 : word.size(), word);
        return;
    }
    default:
        input.insert(at, DrawPiece(DrawSeed()));
    }
}

std::string
InputMutator::Next()
{
    std::string input = DrawSeed();
    const uint64_t changes = 1 + Draw(MOST_CHANGES);
    for (uint64_t change = 0; change < changes; ++change)
    {
        Change(input);
    }
    return input;
}

std::vector<std::string>
ParseDictionary(const std::string& text, const std::string& source)
{
    std::vector<std::string> words;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
    {
        if (line.empty() || line.starts_with("#"))
        {
            continue;
        }
        if (line.size() < 3 || !line.starts_with("\"") || !line.ends_with("\""))
        {
            throw ConfigError(source, "\"" + line + "\" is no word in quotes");
        }
        words.push_back(Unquote(line.substr(1, line.size() - 2)));
    }
    return words;
}

} // namespace nadi::fuzz
