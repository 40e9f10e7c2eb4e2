// SPDX-License-Identifier: GPL-2.0-only
#include "importers/text-lines.h"

#include "configuration/config-document.h"

#include <sstream>

namespace nadi
{

namespace
{

std::vector<std::string>
SplitWords(const std::string& line)
{
    std::vector<std::string> words;
    std::istringstream stream(line.substr(0, line.find('#')));
    for (std::string word; stream >> word;)
    {
        words.push_back(word);
    }
    return words;
}

} // namespace

// Lines are counted before empty ones are left out, so that numbers are those of an editor.
TextLines
ReadTextLines(const std::filesystem::path& file, const std::string& where)
{
    std::ifstream stream = OpenFile(file, where);
    TextLines read;
    read.source = std::make_unique<SourceText>(SourceText{file.string(), file.parent_path(), true});
    uint32_t number = 0;
    for (std::string text; std::getline(stream, text);)
    {
        ++number;
        std::vector<std::string> words = SplitWords(text);
        if (!words.empty())
        {
            read.lines.push_back({std::move(words), number});
        }
    }
    return read;
}

ConfigNode
MakeWordNode(const std::string& word, uint32_t line, const SourceText& source)
{
    ConfigNode node;
    node.kind = ConfigNode::Kind::Scalar;
    node.text = word;
    node.source = &source;
    node.line = line;
    node.keyLine = line;
    return node;
}

} // namespace nadi
