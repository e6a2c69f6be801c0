import java.math.BigDecimal;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

/** Uses what openapi-generator makes of the document for Java. Run by .ci/clients. */
public class Main {
  static final String handle = "openapi-generator-java";
  static final String project = "colours";

  static ApiClient clientOf(String key) {
    ApiClient client = new ApiClient().setBasePath(System.getenv("SEMBLANCE_URL"));
    client.setBearerToken(key);
    return client;
  }

  static void same(Object value, Object wanted) {
    if (!Objects.equals(value, wanted)) throw new AssertionError(value + " is not " + wanted);
  }

  static void near(BigDecimal value, double wanted) {
    if (Math.abs(value.doubleValue() - wanted) > 1e-6) throw new AssertionError(value);
  }

  static List<BigDecimal> numbers(String... numbers) {
    return Arrays.stream(numbers).map(BigDecimal::new).collect(Collectors.toList());
  }

  static EmbeddingInput item(String textId, Object vector, String tone) {
    return new EmbeddingInput().textId(textId).vector(new EmbeddingInputVector(vector)).metadata(Map.of("tone", tone));
  }

  static List<String> idsOf(List<SearchResult> results) {
    return results.stream().map(SearchResult::getId).collect(Collectors.toList());
  }

  public static void main(String[] arguments) throws Exception {
    ApiClient admin = clientOf(System.getenv("SEMBLANCE_ADMIN_KEY"));
    UserWithKey user = new UsersApi(admin).createUser(new CreateUserRequest().userHandle(handle).name("Java"));
    same(user.getName(), "Java");
    ApiClient client = clientOf(user.getApiKey());
    EmbeddingsApi embeddings = new EmbeddingsApi(client);
    ProjectsApi projects = new ProjectsApi(client);
    SimilaritySearchApi similars = new SimilaritySearchApi(client);

    ApiStandard standard = new ApiStandardsApi(admin).createApiStandard(new CreateApiStandardRequest()
        .apiStandardHandle(handle).description("A key in a header")
        .keyMethod(CreateApiStandardRequest.KeyMethodEnum.AUTH_APIKEY).keyField("X-API-Key"));
    same(standard.getKeyMethod(), ApiStandard.KeyMethodEnum.AUTH_APIKEY);
    Instance instance = new LlmServiceInstancesApi(client).putInstance(handle, "tiny", new InstanceInput()
        .endpoint("https://provider.example/v1/embeddings").apiStandard(handle).model("tiny").dimensions(3)
        .apiKeyEncrypted("the-key-of-a-provider"), null);
    same(instance.getHasApiKey(), true);
    WrittenProject made = projects.createProject(handle, new NewProject()
        .projectHandle(project).instanceOwner(handle).instanceHandle("tiny"));
    same(made.getInstanceId(), instance.getInstanceId());

    Upload upload = new Upload().instanceHandle("tiny").vectorDim(3).embeddings(List.of(
        item("red", numbers("1", "0", "0"), "warm"),
        item("orange", numbers("1", "0.5", "0"), "warm"),
        item("violet", numbers("1", "0", "1"), "cold"),
        // 0, 0, 1 as little-endian float32, and a text_id that a path has to escape.
        item("light blue/2", "AAAAAAAAAAAAAIA/", "cold")));
    // uploadEmbeddings() would read the answer as text, as which lines are answered.
    try (okhttp3.Response answer =
        embeddings.uploadEmbeddingsCall(handle, project, upload, null, null, null, null, null).execute()) {
      UploadAnswer uploaded = UploadAnswer.fromJson(answer.body().string());
      same(uploaded.getUploaded(), List.of("red", "orange", "violet", "light blue/2"));
    }

    SimilarityResponse ofStored = similars.searchByTextId(handle, project, "light blue/2", null, 2, null,
        new BigDecimal("0.1"), null, null, null, null, null, null, null, null, null, null, null);
    same(idsOf(ofStored.getResults()), List.of("violet"));
    near(ofStored.getResults().get(0).getSimilarity(), Math.sqrt(0.5));

    // What the client reads of arrays in answers is always refused, so vectors come in base64.
    SimilarityResponse filtered = byVector(similars, new Search().filter(Map.of("tone", Map.of("$in", List.of("warm"))))
        .include(List.of(Search.IncludeEnum.METADATA, Search.IncludeEnum.VECTOR))
        .vectorFormat(Search.VectorFormatEnum.BASE64));
    same(idsOf(filtered.getResults()), List.of("orange", "red"));
    same(filtered.getResults().get(0).getMetadata(), Map.of("tone", "warm"));
    same(filtered.getResults().get(0).getVector().getString(), "AACAPwAAAD8AAAAA");
    near(filtered.getResults().get(0).getSimilarity(), 0.9965458);

    SimilarityResponse grouped = byVector(similars, new Search().threshold(BigDecimal.ZERO).groupBy("tone").groupSize(2));
    same(idsOf(grouped.getResults()), List.of("orange", "red", "violet", "light blue/2"));
    same(grouped.getResults().get(2).getGroup(), "cold");

    List<SearchBatchAnswerAnswersInner> answers = similars.searchBatch(handle, project, new SearchBatch().searches(List.of(
        new Search().vector(new SearchVector(numbers("0", "0", "1"))).limit(1),
        new Search().textId("green")))).getAnswers();
    same(idsOf(answers.get(0).getBatchedAnswer().getResults()), List.of("light blue/2"));
    same(answers.get(1).getBatchedError().getError().getStatus(), 404);

    EmbeddingList rest = embeddings.listEmbeddings(handle, project, null, null, null, "orange", null, null,
        "base64").getEmbeddingList();
    same(rest.getEmbeddings().stream().map(Embedding::getTextId).collect(Collectors.toList()), List.of("red", "violet"));
    same(rest.getEmbeddings().get(1).getVector().getString(), "AACAPwAAAAAAAIA/");

    byte[] file = Files.readAllBytes(projects.exportProject(handle, project, "semblance", null, null, null).toPath());
    same(new String(file, 0, 15), "{\"semblance\":1,");

    same(embeddings.deleteEmbeddings(handle, project, new DeleteEmbeddings().filter(Map.of("tone", "cold")), null)
        .getDeletedCount(), 2);
    same(projects.deleteProject(handle, project).getMessage(), "Project '" + handle + "/" + project + "' deleted");
    try {
      throw new AssertionError(projects.getProject(handle, project));
    } catch (ApiException error) {
      same(error.getCode(), 404);
      same(Problem.fromJson(error.getResponseBody()).getStatus(), 404);
    }
    same(new UsersApi(admin).deleteUser(handle).getMessage(), "User '" + handle + "' deleted");
    new ApiStandardsApi(admin).deleteApiStandard(handle);
    // okhttp's threads would keep the program for a minute.
    System.exit(0);
  }

  static SimilarityResponse byVector(SimilaritySearchApi similars, Search search) throws ApiException {
    return similars.searchByVector(handle, project, search.vector(new SearchVector(numbers("1", "0.4", "0"))),
        null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
  }
}
