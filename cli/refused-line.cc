// SPDX-License-Identifier: GPL-2.0-only
#include "cli/refused-line.h"

#include "common/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// An option as it was written: "--backend" and "flow".
struct WrittenOption
{
    std::string name;
    std::string value; ///< empty: none was written
};

bool
IsOption(const std::string& word)
{
    return word.starts_with("-");
}

/// "trace convert"; empty where no command is named.
std::string
NameOf(const RefusedLine& line)
{
    std::vector<std::string> names;
    for (const Command* command : line.named)
    {
        names.push_back(command->name);
    }
    return fmt::format("{}", fmt::join(names, " "));
}

/// `word` with its value, which stands behind a sign or is the next word.
WrittenOption
ReadOption(const RefusedLine& line, const std::string& word)
{
    const size_t sign = word.find('=');
    if (sign != std::string::npos)
    {
        return {word.substr(0, sign), word.substr(sign + 1)};
    }
    const auto place = std::find(line.words.begin(), line.words.end(), word);
    const bool hasNext = place != line.words.end() && place + 1 != line.words.end();
    return {word, hasNext && !IsOption(*(place + 1)) ? *(place + 1) : ""};
}

/// What an option of the command says in place of the unknown one; empty: nothing.
std::string
FindReplacement(const Command& command, const WrittenOption& unknown)
{
    for (const CommandOption& option : command.options)
    {
        const std::string text =
            option.replace ? option.replace(unknown.name, unknown.value) : std::string();
        if (!text.empty())
        {
            return text;
        }
    }
    return "";
}

/// As SuggestFrom, but the dashes, which all have, make no two options alike, and of three letters
/// two are too many to differ in.
std::string
SuggestOption(const std::string& unknown, const std::vector<std::string>& known)
{
    const auto bare = [](const std::string& option)
    { return option.substr(std::min(option.find_first_not_of('-'), option.size())); };
    std::vector<std::string> names;
    std::transform(known.begin(), known.end(), std::back_inserter(names), bare);
    const std::string word = bare(unknown);
    const std::string nearest = FindWithin(std::max<size_t>(1, word.size() / 3), word, names);
    return nearest.empty() ? fmt::format("; known: {}", fmt::join(known, ", "))
                           : fmt::format(" (did you mean --{}?)", nearest);
}

std::string
DescribeOption(const RefusedLine& line, const WrittenOption& unknown)
{
    std::vector<std::string> known;
    if (line.named.empty())
    {
        known = {"--help", "--version"};
    }
    else
    {
        // First, because a key of the configuration is meant where the name is exactly that of one.
        const std::string replacement = FindReplacement(*line.named.back(), unknown);
        if (!replacement.empty())
        {
            return fmt::format("unknown option {} (did you mean {}?)", unknown.name, replacement);
        }
        for (const CommandOption& option : line.named.back()->options)
        {
            if (IsOption(option.name))
            {
                known.push_back(option.name);
            }
        }
        known.emplace_back("--help");
    }
    return "unknown option " + unknown.name + SuggestOption(unknown.name, known);
}

/// What CLI11 says of an option that may be there once only: "--out: At Most 1 required but
/// received 2".
constexpr std::string_view TOO_OFTEN = ": At Most 1 required but received ";

/// The problem in the parser's words, or in ours.
std::string
Reword(const std::string& problem)
{
    const size_t place = problem.find(TOO_OFTEN);
    return place == std::string::npos ? problem
                                      : fmt::format("{} is given {} times; give it once",
                                                    problem.substr(0, place),
                                                    problem.substr(place + TOO_OFTEN.size()));
}

/// A command of which another one has to be named: none is, or one that it does not have.
std::string
DescribeMissingCommand(const RefusedLine& line, const std::vector<Command>& known)
{
    std::vector<std::string> names;
    for (const Command& command : known)
    {
        names.push_back(command.name);
    }
    const std::string outer = NameOf(line);
    if (line.unknown.empty())
    {
        return fmt::format(
            "no command{}; known: {}", outer.empty() ? "" : " of " + outer, fmt::join(names, ", "));
    }
    const std::string& word = line.unknown.front();
    return fmt::format("unknown command \"{}{}{}\"{}",
                       outer,
                       outer.empty() ? "" : " ",
                       word,
                       SuggestFrom(word, names));
}

std::string
DescribeProblem(const RefusedLine& line, const std::vector<Command>& all)
{
    if (!line.named.empty() && !line.words.empty() && IsOption(line.words.front()))
    {
        return fmt::format("{} stands before the command; write options behind \"nadi {}\"",
                           ReadOption(line, line.words.front()).name,
                           NameOf(line));
    }
    const auto option = std::find_if(line.unknown.begin(), line.unknown.end(), &IsOption);
    if (option != line.unknown.end())
    {
        return DescribeOption(line, ReadOption(line, *option));
    }
    const std::vector<Command>& nested = line.named.empty() ? all : line.named.back()->commands;
    if (!nested.empty())
    {
        return DescribeMissingCommand(line, nested);
    }
    return line.unknown.empty()
               ? Reword(line.problem)
               : fmt::format("\"{}\" is one word too many; leave it out", line.unknown.front());
}

} // namespace

std::string
DescribeRefusal(const RefusedLine& line, const std::vector<Command>& all)
{
    const std::string name = NameOf(line);
    return fmt::format(
        "{} (nadi {}--help says more)", DescribeProblem(line, all), name.empty() ? "" : name + " ");
}

} // namespace nadi
