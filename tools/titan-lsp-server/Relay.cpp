//===- Relay.cpp - findings beside what MLIR's server says ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Relay.h"

#include "titan/Driver/Session.h"
#include "titan/Driver/Verdict.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"

#include <condition_variable>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace json = llvm::json;
using llvm::StringRef;
using namespace titan;

/// What the proof of a kernel may take while somebody types.
static constexpr double proofSeconds = 5;
/// Conclusions of a document that are kept: some hundred kilobytes.
static constexpr size_t mostConcluded = 256;
/// Of the thread that parses and checks.
static constexpr unsigned stackBytes = 64u << 20;

int titan::runChecker() {
  // Not longer than who asks.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto text = llvm::MemoryBuffer::getSTDIN();
  if (!text)
    return BadInput;
  auto [line, program] = (*text)->getBuffer().split('\n');
  llvm::Expected<json::Value> asked = json::parse(line);
  if (!asked) {
    llvm::consumeError(asked.takeError());
    return BadInput;
  }
  const json::Object *question = asked->getAsObject();
  const json::Object *known =
      question ? question->getObject("concluded") : nullptr;
  if (!known)
    return BadInput;
  JudgeOptions how;
  how.proofSeconds = proofSeconds;
  how.lineFirst = question->getInteger("line").value_or(0);
  auto say = [](json::Object said) {
    llvm::outs() << json::Value(std::move(said)) << "\n";
    llvm::outs().flush();
  };
  TextListener listener;
  listener.tell = [&](const json::Array &findings) {
    say(json::Object{{"findings", json::Array(findings)}});
  };
  listener.conclude = [&](StringRef digest, const json::Array &found,
                          const json::Array &concluded) {
    say(json::Object{{"kernel", digest},
                     {"found", json::Array(found)},
                     {"concluded", json::Array(concluded)}});
  };
  listener.recall = [&](StringRef digest, json::Array &found,
                        json::Array &concluded) {
    const json::Object *kernel = known->getObject(digest);
    const json::Array *both[] = {kernel ? kernel->getArray("found") : nullptr,
                                 kernel ? kernel->getArray("concluded")
                                        : nullptr};
    if (!both[0] || !both[1])
      return false;
    found = *both[0];
    concluded = *both[1];
    return true;
  };
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext context;
  bool ended = context.RunSafelyOnThread(
      [&, program = program] { judgeText("document", program, how, listener); },
      stackBytes);
  return ended ? Good : BadInput;
}

//===----------------------------------------------------------------------===//
// What passes
//===----------------------------------------------------------------------===//

namespace {
class Reader {
public:
  explicit Reader(int file) : file(file) {}
  /// All until `end`, which is left out; none: the other side has ended.
  std::optional<std::string> line(StringRef end) {
    size_t from = 0, at;
    while ((at = buffer.find(end, from)) == std::string::npos) {
      from = buffer.size() - std::min(buffer.size(), end.size());
      if (!more())
        return std::nullopt;
    }
    std::string text = buffer.substr(0, at);
    buffer.erase(0, at + end.size());
    return text;
  }
  /// A message: "Content-Length: N", an empty line, N bytes.
  std::optional<std::string> message() {
    size_t length = 0;
    while (true) {
      auto header = line("\r\n");
      if (!header)
        return std::nullopt;
      if (header->empty())
        break;
      StringRef rest = *header;
      if (rest.consume_front_insensitive("content-length:") &&
          rest.trim().getAsInteger(10, length))
        length = 0;
    }
    while (buffer.size() < length)
      if (!more())
        return std::nullopt;
    std::string body = buffer.substr(0, length);
    buffer.erase(0, length);
    return body;
  }

private:
  bool more() {
    char bytes[65536];
    ssize_t count;
    while ((count = read(file, bytes, sizeof bytes)) < 0 && errno == EINTR)
      ;
    if (count > 0)
      buffer.append(bytes, count);
    return count > 0;
  }
  int file;
  std::string buffer;
};

/// False: nobody listens any more.
bool writeAll(int file, StringRef text) {
  while (!text.empty()) {
    ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    text = text.drop_front(count);
  }
  return true;
}

class Writer {
public:
  explicit Writer(int file) : file(file) {}
  void send(const json::Value &message) {
    send(std::string(llvm::formatv("{0}", message)));
  }
  void send(const std::string &body) {
    std::lock_guard<std::mutex> guard(lock);
    writeAll(file, "Content-Length: " + std::to_string(body.size()) +
                       "\r\n\r\n" + body);
  }

private:
  int file;
  std::mutex lock;
};

struct Document {
  std::string text;
  int64_t version = 0;
  /// The first line that is not as it was, from 1 on.
  unsigned changedLine = 0;
  /// Which change of all this is.
  uint64_t turn = 0;
  bool waits = true; ///< to be checked
  /// MLIR's diagnostics of this version, once they have come.
  std::optional<json::Array> server;
  /// The checker's, so far.
  json::Array findings;
  /// What checkers have concluded of kernels of this and earlier versions, by
  /// digest: what is undone is known, too.
  json::Object concluded;
};

/// A process that checks a text.
struct Checker {
  pid_t process = 0; ///< 0: none
  int input = -1, output = -1;

  /// `process` is 0 where it cannot be started.
  void start();
};

class Relay {
public:
  Relay(int toServer, int fromServer)
      : fromEditor(0), fromServer(fromServer), toEditor(1), toServer(toServer) {
  }
  void run(int serverInput);

private:
  /// What goes on to the server. What is no message at all would end it, and is
  /// answered here.
  std::optional<std::string> editorSays(std::string body);
  /// What goes on to the editor.
  std::optional<std::string> serverSays(std::string body);
  void checkDocuments();
  /// Ends the checker, for the change of `uri`.
  void interrupt(StringRef uri);
  void publish(const std::string &uri);

  Reader fromEditor, fromServer;
  Writer toEditor, toServer;
  /// Held while diagnostics are put together and sent: a later message says
  /// more. Taken before `lock`.
  std::mutex publishing;
  std::mutex lock;
  std::condition_variable changed;
  std::map<std::string, Document> documents;
  /// What runs, and the document it was given.
  Checker checker;
  std::string checked;
  uint64_t turns = 0;
  bool ended = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// A column of a line, in bytes from 1 on, as the protocol counts: UTF-16 from 0.
static int64_t characterOf(StringRef text, int64_t line, int64_t column) {
  for (int64_t n = 1; n < line; ++n)
    text = text.split('\n').second;
  int64_t character = 0;
  for (unsigned char c : text.split('\n').first.take_front(column - 1))
    character += (c & 0xC0) != 0x80 ? 1 + (c >= 0xF0) : 0;
  return character;
}

/// Where a finding or one of its places is: to the end of the word.
static json::Object rangeOf(const json::Object &of, StringRef text) {
  int64_t line = std::max<int64_t>(of.getInteger("line").value_or(1), 1);
  int64_t column = std::max<int64_t>(of.getInteger("column").value_or(1), 1);
  StringRef rest = text;
  for (int64_t n = 1; n < line; ++n)
    rest = rest.split('\n').second;
  int64_t word = rest.split('\n')
                     .first
                     .drop_front(std::min<size_t>(
                         column - 1, rest.split('\n').first.size()))
                     .take_while([](char c) {
                       return llvm::isAlnum(c) || c == '.' || c == '_';
                     })
                     .size();
  auto position = [&](int64_t at) {
    return json::Object{{"line", line - 1},
                        {"character", characterOf(text, line, at)}};
  };
  return json::Object{{"start", position(column)},
                      {"end", position(column + std::max<int64_t>(word, 1))}};
}

static json::Array diagnosticsOf(const json::Array &findings, StringRef uri,
                                 StringRef text) {
  json::Array result;
  for (const json::Value &value : findings) {
    const json::Object &finding = *value.getAsObject();
    StringRef severity = finding.getString("severity").value_or("note");
    std::string message = finding.getString("message").value_or("").str();
    if (auto fix = finding.getString("fix"))
      message += "\nfix: " + fix->str();
    json::Object diagnostic{{"range", rangeOf(finding, text)},
                            {"severity", severity == "error"     ? 1
                                         : severity == "warning" ? 2
                                                                 : 3},
                            {"source", "titan check"},
                            {"message", std::move(message)}};
    if (auto code = finding.getString("code"))
      diagnostic["code"] = code->str();
    json::Array related;
    if (const json::Array *places = finding.getArray("places"))
      for (const json::Value &each : *places)
        if (const json::Object *place = each.getAsObject();
            place && place->get("line"))
          related.push_back(json::Object{
              {"location", json::Object{{"uri", uri.str()},
                                        {"range", rangeOf(*place, text)}}},
              {"message", place->getString("what").value_or("").str()}});
    if (!related.empty())
      diagnostic["relatedInformation"] = std::move(related);
    result.push_back(std::move(diagnostic));
  }
  return result;
}

static bool isError(const json::Value &value) {
  const json::Object *diagnostic = value.getAsObject();
  return diagnostic && diagnostic->getInteger("severity") == 1;
}

void Relay::publish(const std::string &uri) {
  std::lock_guard<std::mutex> order(publishing);
  std::optional<json::Value> message;
  {
    std::lock_guard<std::mutex> guard(lock);
    auto known = documents.find(uri);
    if (known == documents.end() || !known->second.server)
      return;
    const Document &document = known->second;
    json::Array all = *document.server;
    // What does not parse or verify, the checker has said as well.
    if (llvm::none_of(all, isError))
      for (json::Value &each :
           diagnosticsOf(document.findings, uri, document.text))
        all.push_back(std::move(each));
    message =
        json::Object{{"jsonrpc", "2.0"},
                     {"method", "textDocument/publishDiagnostics"},
                     {"params", json::Object{{"uri", uri},
                                             {"version", document.version},
                                             {"diagnostics", std::move(all)}}}};
  }
  toEditor.send(*message);
}

//===----------------------------------------------------------------------===//
// What is said
//===----------------------------------------------------------------------===//

void Relay::interrupt(StringRef uri) {
  if (!checker.process)
    return;
  if (auto other = documents.find(checked);
      checked != uri && other != documents.end())
    other->second.waits = true;
  kill(checker.process, SIGKILL);
}

std::optional<std::string> Relay::editorSays(std::string body) {
  auto refuse = [&](int code, const char *why) {
    toEditor.send(json::Value(json::Object{
        {"jsonrpc", "2.0"},
        {"id", nullptr},
        {"error", json::Object{{"code", code}, {"message", why}}}}));
    return std::nullopt;
  };
  llvm::Expected<json::Value> message = parseJson(body);
  if (!message) {
    llvm::consumeError(message.takeError());
    return refuse(-32700, "this is no JSON");
  }
  json::Object *object = message->getAsObject();
  if (!object || object->getString("jsonrpc") != "2.0" ||
      (!object->getString("method") && !object->get("id")))
    return refuse(-32600, "this is no message of JSON-RPC 2.0");
  json::Object *params = object->getObject("params");
  json::Object *document = params ? params->getObject("textDocument") : nullptr;
  StringRef method = object->getString("method").value_or("");
  if (!document || !method.consume_front("textDocument/did"))
    return body;
  std::string uri = document->getString("uri").value_or("").str();
  // Where the text stands in the message; null: there is none.
  json::Object *holder = nullptr;
  if (method == "Open") {
    holder = document;
  } else if (method == "Change") {
    if (json::Array *changes = params->getArray("contentChanges"))
      for (json::Value &change : *changes)
        if (holder = change.getAsObject(); holder && holder->get("range"))
          holder = nullptr;
  } else if (method != "Close") {
    return body;
  }
  auto text = holder ? holder->getString("text") : std::nullopt;
  {
    std::lock_guard<std::mutex> guard(lock);
    interrupt(uri);
    if (!text) {
      // Closed, or changed in a way that was not asked for.
      documents.erase(uri);
      return body;
    }
    StringRef before = documents[uri].text;
    auto differs =
        std::mismatch(text->begin(), text->end(), before.begin(), before.end());
    unsigned changedLine = 1 + std::count(text->begin(), differs.first, '\n');
    json::Object concluded = std::move(documents[uri].concluded);
    if (concluded.size() > mostConcluded)
      concluded.clear();
    documents[uri] = {.text = text->str(),
                      .version = document->getInteger("version").value_or(0),
                      .changedLine = changedLine,
                      .turn = ++turns,
                      .concluded = std::move(concluded)};
    changed.notify_all();
  }
  // What no parser should see, the checker refuses; the server sees nothing.
  if (!findTextProblem(*text))
    return body;
  (*holder)["text"] = "";
  return std::string(llvm::formatv("{0}", *message));
}

std::optional<std::string> Relay::serverSays(std::string body) {
  llvm::Expected<json::Value> message = json::parse(body);
  if (!message) {
    llvm::consumeError(message.takeError());
    return body;
  }
  json::Object *object = message->getAsObject();
  if (!object)
    return body;
  // Whole texts, please: 1 is Full.
  if (json::Object *result = object->getObject("result"))
    if (json::Object *capabilities = result->getObject("capabilities"))
      if (json::Object *sync = capabilities->getObject("textDocumentSync")) {
        (*sync)["change"] = 1;
        return std::string(llvm::formatv("{0}", *message));
      }
  json::Object *params = object->getObject("params");
  if (object->getString("method") != "textDocument/publishDiagnostics" ||
      !params)
    return body;
  std::string uri = params->getString("uri").value_or("").str();
  const json::Array *diagnostics = params->getArray("diagnostics");
  {
    std::lock_guard<std::mutex> guard(lock);
    auto known = documents.find(uri);
    if (known == documents.end() || !diagnostics ||
        params->getInteger("version") != known->second.version)
      return body;
    known->second.server = *diagnostics;
  }
  publish(uri);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Checkers
//===----------------------------------------------------------------------===//

void Checker::start() {
  static const std::string program = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&titan::relay));
  process = 0;
  input = output = -1;
  int in[2], out[2] = {-1, -1};
  if (pipe2(in, O_CLOEXEC))
    return;
  if (pipe2(out, O_CLOEXEC)) {
    close(in[0]);
    close(in[1]);
    return;
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in[0], 0);
  posix_spawn_file_actions_adddup2(&files, out[1], 1);
  const char *arguments[] = {program.c_str(), checkerFlag, nullptr};
  // Who asks one that is none hears nothing.
  if (posix_spawn(&process, program.c_str(), &files, nullptr,
                  const_cast<char *const *>(arguments), environ))
    process = 0;
  posix_spawn_file_actions_destroy(&files);
  close(in[0]);
  close(out[1]);
  input = in[1];
  output = out[0];
}

void Relay::checkDocuments() {
  // To start takes longer than most texts do: one is kept ready.
  Checker next;
  next.start();
  while (true) {
    std::string text;
    uint64_t turn = 0;
    {
      std::unique_lock<std::mutex> guard(lock);
      Document *last = nullptr;
      changed.wait(guard, [&] {
        last = nullptr;
        for (auto &[uri, document] : documents)
          if (document.waits && (!last || document.turn > last->turn)) {
            last = &document;
            checked = uri;
          }
        return ended || last;
      });
      if (ended)
        break;
      last->waits = false;
      turn = last->turn;
      text = llvm::formatv("{0}\n",
                           json::Value(json::Object{
                               {"line", last->changedLine},
                               {"concluded", json::Object(last->concluded)}}))
                 .str() +
             last->text;
      checker = next;
    }
    Checker now = next;
    writeAll(now.input, text);
    close(now.input);
    next.start();
    Reader said(now.output);
    while (auto line = said.line("\n")) {
      llvm::Expected<json::Value> found = json::parse(*line);
      if (!found) {
        llvm::consumeError(found.takeError());
        continue;
      }
      {
        std::lock_guard<std::mutex> guard(lock);
        auto known = documents.find(checked);
        if (known == documents.end() || known->second.turn != turn)
          continue;
        json::Object *object = found->getAsObject();
        if (!object)
          continue;
        if (auto digest = object->getString("kernel")) {
          std::string key = digest->str();
          object->erase("kernel");
          known->second.concluded[key] = std::move(*object);
          continue;
        }
        if (const json::Array *findings = object->getArray("findings"))
          known->second.findings = *findings;
      }
      publish(checked);
    }
    close(now.output);
    {
      // From here on its number may be another process's.
      std::lock_guard<std::mutex> guard(lock);
      checker.process = 0;
    }
    if (now.process)
      waitpid(now.process, nullptr, 0);
  }
  if (next.process) {
    kill(next.process, SIGKILL);
    waitpid(next.process, nullptr, 0);
  }
}

void Relay::run(int serverInput) {
  llvm::thread checks(std::optional<unsigned>(), [&] { checkDocuments(); });
  // It ends with the process: a read cannot be called off.
  llvm::thread(std::optional<unsigned>(), [&, serverInput] {
    while (auto message = fromEditor.message())
      if (auto further = editorSays(std::move(*message)))
        toServer.send(*further);
    close(serverInput);
  }).detach();
  while (auto message = fromServer.message())
    if (auto further = serverSays(std::move(*message)))
      toEditor.send(*further);
  {
    std::lock_guard<std::mutex> guard(lock);
    ended = true;
    if (checker.process)
      kill(checker.process, SIGKILL);
  }
  changed.notify_all();
  checks.join();
}

void titan::relay(int toServer, int fromServer) {
  // The thread that reads the editor's words may outlive this.
  static Relay *relay = new Relay(toServer, fromServer);
  relay->run(toServer);
}
